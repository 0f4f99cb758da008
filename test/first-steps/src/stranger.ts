import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'

/** The user that takes the first steps: this one, or for root somebody who may do nothing but that. */
export type Stranger = { name: string; uid?: number; gid?: number }

export function findStranger(): Stranger {
  if (process.getuid?.() !== 0) return { name: 'this user' }
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  const nobody = { name: 'nobody', uid: Number(uid), gid: Number(gid) }
  if (uid === undefined) return { name: 'root, for want of another user' }
  const { status } = spawnSync('npm', ['--version'], { ...nobody, cwd: '/', env: environmentOf('/nowhere') })
  return status === 0 ? nobody : { name: 'root, for another user cannot run npm here' }
}

/**
 * The environment of somebody who has just logged in: a home of their own, in which nothing is cached, and nothing that
 * this run has set.
 */
export function environmentOf(home: string): NodeJS.ProcessEnv {
  const ours =
    /^(npm_|HERALD_|XDG_|TURBO_|KAFKA_BROKERS$|MONGODB_URI$|PORT$|CI$|NO_COLOR$|FORCE_COLOR$|INIT_CWD$|NODE$|NODE_OPTIONS$|JEST_)/i
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name))
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return { ...Object.fromEntries(kept), PATH: folders.join(delimiter), HOME: home, ...javaHome(home) }
}

/** Java takes the home folder from the system's list of users, where `nobody` has none. */
const javaHome = (home: string) => ({ JDK_JAVA_OPTIONS: `"-Duser.home=${home}"` })
