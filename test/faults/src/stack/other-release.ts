import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder } from '@herald/test-servers'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Counts as the release before this one as long as there is no tag. */
const beforeTheFirstTag = '85a0ba2'

/** A release to roll from and to, or why there is none. */
export type OtherRelease =
  | {
      readonly kind: 'found'
      readonly name: string
      readonly ingestFile: string
      readonly queryFile: string
    }
  | { readonly kind: 'missing'; readonly reason: string }

let prepared: OtherRelease | undefined

/** The release that {@link prepareOtherRelease} found. */
export const otherRelease = (): OtherRelease => prepared ?? { kind: 'missing', reason: 'it was not prepared' }

/**
 * Finds the release before this one: the checkout that `HERALD_OTHER_RELEASE` names, or else the last tag, which is built
 * in the cache folder, once.
 *
 * @throws Error if the checkout is not built, or the build fails
 */
export async function prepareOtherRelease(log: (line: string) => void): Promise<void> {
  const { HERALD_OTHER_RELEASE: given } = process.env
  prepared = given ? foundIn(given, given) : await buildLastRelease(log)
}

async function buildLastRelease(log: (line: string) => void): Promise<OtherRelease> {
  const name = await lastRelease()
  const commit = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => undefined)
  if (commit === undefined) return { kind: 'missing', reason: `this clone has no commit ${name}` }
  const folder = join(cacheFolder(process.env), `release-${commit}`)
  if (!existsSync(mainFileIn(folder, 'query'))) {
    log(`Building the release ${name}, to roll from and to it.`)
    await build(commit, folder)
  }
  return foundIn(name, folder)
}

const git = async (...args: readonly string[]) => (await run('git', args, { cwd: root })).stdout.trim()

const lastRelease = () =>
  git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^').catch(() => beforeTheFirstTag)

async function build(commit: string, folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    const archive = join(unfinished, 'release.tar')
    await run('git', ['archive', '--output', archive, commit], { cwd: root })
    await run('tar', ['-xf', archive, '-C', unfinished])
    await rm(archive)
    const inFolder = { cwd: unfinished, maxBuffer: 64 * 1024 * 1024 }
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], inFolder)
    await run('npm', ['run', 'build', '--silent', '--', '--filter=@herald/ingest', '--filter=@herald/query'], inFolder)
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

function foundIn(name: string, folder: string): OtherRelease {
  const [ingestFile, queryFile] = [mainFileIn(folder, 'ingest'), mainFileIn(folder, 'query')]
  for (const file of [ingestFile, queryFile]) {
    if (!existsSync(file)) throw new Error(`The other release is not built: ${file} does not exist`)
  }
  return { kind: 'found', name, ingestFile, queryFile }
}

const mainFileIn = (folder: string, service: 'ingest' | 'query') => join(folder, 'services', service, 'dist', 'main.js')
