import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Kcat } from '@herald/test-servers'
import type { Message } from 'kafkajs'

/** Publishes one record with kcat, a client that shares no code with Herald's. */
export async function publishWithKcat(
  { command, environment }: Kcat,
  brokers: readonly string[],
  topic: string,
  { key, value, headers = {} }: Message,
  compression = 'none',
): Promise<void> {
  const named = Object.entries(headers).flatMap(([name, content]) => ['-H', `${name}=${content}`])
  const target = ['-b', brokers.join(','), '-t', topic]
  const child = spawn(command, ['-P', ...target, '-k', String(key), '-z', compression, ...named], {
    env: { ...process.env, ...environment },
  })
  const errors = text(child.stderr)
  child.stdin.end(`${value}\n`)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`kcat exited with code ${code}: ${await errors}`)
}
