import { join } from 'node:path'
import { composeImage, versionOf } from './compose-images.ts'
import type { FindOptions } from './find-options.ts'
import { findMavenJars } from './maven-jars.ts'

// One line at the start, and what goes wrong.
const LOGGING = `status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %m (%c)%n
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
logger.server.name = kafka.server.KafkaRaftServer
logger.server.level = info
`

export interface KafkaJars {
  classPath: string
  loggingFile: string
}

/** Kafka's broker as jars, fetched through Maven when the cache has none. */
export async function findKafkaJars(java: string, options: FindOptions): Promise<KafkaJars> {
  // The same version, whether it runs in Docker or as a program.
  const version = versionOf(composeImage('kafka'))
  const folder = await findMavenJars(
    java,
    {
      name: `kafka-${version}`,
      artifacts: [`org.apache.kafka:kafka_2.13:${version}`, 'org.apache.logging.log4j:log4j-slf4j-impl:2.24.3'],
      files: { 'log4j2.properties': LOGGING },
    },
    options,
  )
  return { classPath: join(folder, 'jars', '*'), loggingFile: join(folder, 'log4j2.properties') }
}
