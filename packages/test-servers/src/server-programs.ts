import { findJava } from './downloads/java.ts'
import { type FindOptions, withDefaults } from './find-options.ts'
import { findKafkaJars, whyNoKafka } from './kafka/kafka-jars.ts'
import { findMongod, whyNoMongod } from './mongodb/mongod-file.ts'

/** Finds or fetches the broker and mongod as programs of this machine. Throws with the missing requirement otherwise. */
export async function findServerPrograms(options: Partial<FindOptions> = {}): Promise<void> {
  const found = withDefaults(options)
  await findKafkaJars(await findJava(found), found)
  await findMongod(found)
}

/**
 * Returns why the broker and mongod cannot run as programs of this machine, or undefined. It fetches nothing, so that a test
 * is skipped when the machine lacks a requirement, and fails for any other reason.
 */
export async function whyNoServerPrograms(environment: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  return (await whyNoKafka(environment)) ?? whyNoMongod(environment)
}
