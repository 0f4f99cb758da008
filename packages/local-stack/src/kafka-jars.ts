import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder, cacheFolder } from './cache-folder.ts'
import { findCommand, runCommand } from './commands-on-path.ts'
import { composeImage, versionOf } from './compose-images.ts'
import type { FindOptions } from './find-options.ts'
import { javaHome } from './java.ts'

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

const pom = (kafka: string) => `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>herald</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${kafka}</version></dependency>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.24.3</version></dependency>
  </dependencies>
</project>
`

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
export async function findKafkaJars(java: string, { environment, log }: FindOptions): Promise<KafkaJars> {
  // The same version, whether it runs in Docker or as a program.
  const version = versionOf(composeImage('kafka'))
  const folder = await cachedFolder(cacheFolder(environment), `kafka-${version}`, async (partial) => {
    const maven = findCommand('mvn', environment)
    if (!maven) throw new Error('mvn is not on the PATH.')
    log(`Fetching Kafka ${version} through Maven.`)
    await writeFile(join(partial, 'pom.xml'), pom(version))
    await writeFile(join(partial, 'log4j2.properties'), LOGGING)
    await runCommand(
      maven,
      ['-q', '-B', '-Dstyle.color=never', COPY, '-DoutputDirectory=jars', '-DincludeScope=runtime'],
      {
        environment: { ...environment, JAVA_HOME: javaHome(java) },
        folder: partial,
      },
    )
  })
  return { classPath: join(folder, 'jars', '*'), loggingFile: join(folder, 'log4j2.properties') }
}
