import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FindOptions } from '../find-options.ts'
import { findCommand, runCommand } from '../processes/commands-on-path.ts'
import { cachedFolder, cacheFolder } from './cache-folder.ts'
import { javaHome } from './java.ts'
import { countDownloads } from './maven-output.ts'

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

export type MavenJars = {
  /** The name of the folder in the cache, which must change with the version. */
  name: string
  /** `group:artifact:version`; dependencies are included. */
  artifacts: readonly string[]
  /** Further files to write to the folder, by name. */
  files?: Readonly<Record<string, string>>
}

/** Returns a folder of the cache with the jars in `jars/`, fetched with Maven if it is missing. */
export async function findMavenJars(
  java: string,
  jars: MavenJars,
  { environment, log, onProgress = () => {} }: FindOptions,
) {
  return cachedFolder(cacheFolder(environment), jars.name, async (partial) => {
    const maven = findCommand('mvn', environment)
    if (!maven) throw new Error('mvn is not on the PATH.')
    log(`Fetching ${jars.name} with Maven.`)
    await writeFile(join(partial, 'pom.xml'), pom(jars))
    for (const [name, text] of Object.entries(jars.files ?? {})) await writeFile(join(partial, name), text)
    await runCommand(maven, ['-B', '-Dstyle.color=never', COPY, '-DoutputDirectory=jars', '-DincludeScope=runtime'], {
      environment: { ...environment, JAVA_HOME: javaHome(java) },
      folder: partial,
      onOutput: countDownloads((amount) => onProgress(`Fetching ${jars.name}`, amount)),
    }).finally(() => onProgress(`Fetching ${jars.name}`, undefined))
  })
}

function pom({ name, artifacts }: MavenJars): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, id, version] = artifact.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version></dependency>`
  })
  return `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>herald</groupId><artifactId>${name}</artifactId><version>1</version>
  <dependencies>
    ${dependencies.join('\n    ')}
  </dependencies>
</project>
`
}
