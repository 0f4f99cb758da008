import { type FindOptions, withDefaults } from './find-options.ts'
import { findJava } from './java.ts'
import { findKafkaJars } from './kafka-jars.ts'
import { findMongod } from './mongod-file.ts'

/** Finds, or fetches, the broker and mongod as programs of this machine. Throws with what is missing when it can't. */
export async function findServerPrograms(options: Partial<FindOptions> = {}): Promise<void> {
  const found = withDefaults(options)
  await findKafkaJars(await findJava(found), found)
  await findMongod(found)
}
