import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder, cacheFolder } from './cache-folder.ts'
import { findCommand, isExecutable, runCommand } from './commands-on-path.ts'
import { type FindOptions, withDefaults } from './find-options.ts'
import { mustHave } from './must-have.ts'

export interface Kcat {
  command: string
  /** What its environment needs beside the usual. */
  environment: Record<string, string>
}

/** What kcat is made of on Debian, beside what a machine without it lacks as well. */
const DEBIAN_PACKAGES = ['kcat', 'librdkafka1', 'libyajl2']

/**
 * Finds kcat, which speaks to Kafka through another library than ours: on the PATH, or else on Debian in packages that
 * are unpacked into the cache, for which nobody has to be root. Undefined when there is neither; throws then where
 * `HERALD_MUST_HAVE` names kcat.
 */
export async function findKcat(options: Partial<FindOptions> = {}): Promise<Kcat | undefined> {
  const { environment, log } = withDefaults(options)
  const command = findCommand('kcat', environment)
  if (command) return { command, environment: {} }
  try {
    const folder = await cachedFolder(cacheFolder(environment), 'kcat', async (partial) => {
      log('Fetching kcat.')
      await unpackDebianPackages(partial, environment)
      const kcat = await kcatIn(partial)
      await runCommand(kcat.command, ['-V'], { environment: { ...environment, ...kcat.environment } })
    })
    return await kcatIn(folder)
  } catch (error) {
    if (mustHave('kcat', environment)) throw error
    log(`kcat could not be fetched: ${(error as Error).message}`)
    return undefined
  }
}

async function unpackDebianPackages(folder: string, environment: NodeJS.ProcessEnv) {
  const apt = findCommand('apt-get', environment)
  const dpkg = findCommand('dpkg', environment)
  if (!apt || !dpkg) throw new Error('It is not on the PATH, and this is not a Debian machine.')
  const english = { ...environment, LC_ALL: 'C' }
  const plan = await runCommand(apt, ['--simulate', '--no-install-recommends', 'install', 'kcat'], {
    environment: english,
  })
  const missing = [...plan.matchAll(/^Inst (\S+)/gm)].flatMap((match) => match[1] ?? [])
  // As root, apt would else hand the download to a user who may not write here.
  const download = ['-o', 'APT::Sandbox::User=root', 'download', ...new Set([...DEBIAN_PACKAGES, ...missing])]
  await runCommand(apt, download, { environment: english, folder })
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.deb'))) {
    await runCommand(dpkg, ['-x', name, '.'], { environment: english, folder })
    await rm(join(folder, name))
  }
}

async function kcatIn(folder: string): Promise<Kcat> {
  const command = join(folder, 'usr', 'bin', 'kcat')
  if (!isExecutable(command)) throw new Error('The packages hold no kcat.')
  const libraries = join(folder, 'usr', 'lib')
  const triplets = (await readdir(libraries)).map((name) => join(libraries, name))
  return { command, environment: { LD_LIBRARY_PATH: [...triplets, libraries].join(':') } }
}
