import { join } from 'node:path'
import { composeImage, versionOf } from '../docker/compose-images.ts'
import { isCached } from '../downloads/cache-folder.ts'
import { whyNoJava } from '../downloads/java.ts'
import { findMavenJars } from '../downloads/maven-jars.ts'
import type { FindOptions } from '../find-options.ts'
import { findCommand } from '../processes/commands-on-path.ts'

// Logs one line at the start, and warnings and errors.
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

export type KafkaJars = {
  classPath: string
  loggingFile: string
}

/** Finds the jars of Kafka's broker in the cache, or fetches them with Maven. */
export async function findKafkaJars(java: string, options: FindOptions): Promise<KafkaJars> {
  const version = kafkaVersion(options.environment)
  const folder = await findMavenJars(
    java,
    {
      name: folderOf(version),
      artifacts: [`org.apache.kafka:kafka_2.13:${version}`, 'org.apache.logging.log4j:log4j-slf4j-impl:2.24.3'],
      files: { 'log4j2.properties': LOGGING },
    },
    options,
  )
  return { classPath: join(folder, 'jars', '*'), loggingFile: join(folder, 'log4j2.properties') }
}

/** Returns why the broker cannot run as a program here, or undefined. It fetches nothing. */
export async function whyNoKafka(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const isThere = isCached(environment, folderOf(kafkaVersion(environment))) || findCommand('mvn', environment)
  return isThere ? whyNoJava(environment) : 'mvn is not on the PATH'
}

/** The jars have the version of the image, unless `HERALD_KAFKA_VERSION` names another. */
const kafkaVersion = ({ HERALD_KAFKA_VERSION }: NodeJS.ProcessEnv) =>
  HERALD_KAFKA_VERSION || versionOf(composeImage('kafka'))
const folderOf = (version: string) => `kafka-${version}`
