import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Stranger } from './stranger.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

export type BareClone = Awaited<ReturnType<typeof cloneCheckout>>

/**
 * Clones the last commit of this checkout, owned by `stranger`, to a folder with a space in its name, next to an empty home
 * folder. `FIRST_STEPS_HOME` names one with caches instead, for a quicker run.
 */
export async function cloneCheckout({ uid, gid }: Stranger) {
  const parent = await mkdtemp(join(tmpdir(), 'first steps '))
  const folder = join(parent, 'herald')
  const home = process.env.FIRST_STEPS_HOME || join(parent, 'home')
  const temporary = join(parent, 'temporary')
  execFileSync('git', ['clone', '--quiet', checkout, folder])
  mkdirSync(home, { recursive: true })
  mkdirSync(temporary)
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, parent, home])
  return { folder, home, temporary, remove: () => rm(parent, { recursive: true, force: true }) }
}
