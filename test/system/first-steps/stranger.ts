import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'

/** The user that runs `npm start`: the current one, or `nobody` if that is root. */
export type Stranger = { name: string; uid?: number; gid?: number }

export function findStranger(): Stranger {
  if (process.getuid?.() !== 0) return { name: 'this user' }
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  const nobody = { name: 'nobody', uid: Number(uid), gid: Number(gid) }
  if (uid === undefined) return { name: 'root, since there is no user nobody' }
  const { status } = spawnSync('npm', ['--version'], { ...nobody, cwd: '/', env: environmentOf('/nowhere') })
  return status === 0 ? nobody : { name: 'root, since the user nobody cannot run npm here' }
}

/**
 * Returns the environment of a user who has just logged in: with their own home folder and without the variables of this
 * run.
 */
export function environmentOf(home: string): NodeJS.ProcessEnv {
  const ours =
    /^(npm_|HERALD_|XDG_|TURBO_|KAFKA_BROKERS$|MONGODB_URI$|PORT$|CI$|NO_COLOR$|FORCE_COLOR$|INIT_CWD$|NODE$|NODE_OPTIONS$|JEST_)/i
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name))
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return { ...Object.fromEntries(kept), PATH: folders.join(delimiter), HOME: home, ...javaHome(home) }
}

/** Java reads the home folder from the system's user database, where `nobody` has none. */
const javaHome = (home: string) => ({ JDK_JAVA_OPTIONS: `"-Duser.home=${home}"` })
