import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ShareScene } from './share-attacks.ts'

export type AttackScene = Omit<ShareScene, 'store'>
export type AttackerMessage =
  | { readonly act: 'begin'; readonly name: string; readonly scene: AttackScene }
  | { readonly act: 'end' | 'stop' }
/** The responses since the attack began. */
export type AttackerReply = { readonly counts: Readonly<Record<string, number>>; readonly withoutRetryAfter: number }

const file = fileURLToPath(new URL('./attacker-process.ts', import.meta.url))

/**
 * Starts the attacker's process. It has the lowest priority, because an attacker does not take processor time of the machine
 * that the services are on.
 */
export function startAttacker(settings: { readonly MONGODB_URI: string; readonly MONGODB_DATABASE: string }) {
  const child = spawn('nice', ['-n', '19', process.execPath, '--no-warnings', file], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The attacker ended with ${code}`)))
  ended.catch(() => {})
  const ask = async (message: AttackerMessage): Promise<AttackerReply> => {
    child.send(message)
    const [reply] = await Promise.race([once(child, 'message'), ended])
    return reply
  }
  return {
    begin: (name: string, scene: AttackScene) => ask({ act: 'begin', name, scene }),
    end: () => ask({ act: 'end' }),
    async stop(): Promise<void> {
      await ask({ act: 'stop' }).catch(() => child.kill())
    },
  }
}
