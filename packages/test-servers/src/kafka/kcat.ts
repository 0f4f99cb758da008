import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder, cacheFolder } from '../downloads/cache-folder.ts'
import { type FindOptions, withDefaults } from '../find-options.ts'
import { mustHave } from '../must-have.ts'
import { findCommand, isExecutable, runCommand } from '../processes/commands-on-path.ts'

export type Kcat = {
  command: string
  /** Additional environment variables. */
  environment: Record<string, string>
}

/** kcat and its usual dependencies on Debian; apt adds any others that the machine lacks. */
const DEBIAN_PACKAGES = ['kcat', 'librdkafka1', 'libyajl2']

/**
 * Finds kcat, a Kafka client based on another library than Herald's: on the PATH, or else on Debian in packages that are
 * unpacked to the cache, which does not require root. Returns undefined if there is neither, or throws if
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
  // As root, apt would otherwise download as a user who cannot write here.
  const download = ['-o', 'APT::Sandbox::User=root', 'download', ...new Set([...DEBIAN_PACKAGES, ...missing])]
  await runCommand(apt, download, { environment: english, folder })
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.deb'))) {
    await runCommand(dpkg, ['-x', name, '.'], { environment: english, folder })
    await rm(join(folder, name))
  }
}

async function kcatIn(folder: string): Promise<Kcat> {
  const command = join(folder, 'usr', 'bin', 'kcat')
  if (!isExecutable(command)) throw new Error('The packages do not contain kcat.')
  const libraries = join(folder, 'usr', 'lib')
  const triplets = (await readdir(libraries)).map((name) => join(libraries, name))
  return { command, environment: { LD_LIBRARY_PATH: [...triplets, libraries].join(':') } }
}
