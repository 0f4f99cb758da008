import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Message } from 'kafkajs'

/** Publishes one record with kcat, a client that shares nothing with Herald's. */
export async function publishWithKcat(
  kcat: string,
  brokers: readonly string[],
  topic: string,
  { key, value, headers = {} }: Message,
  compression = 'none',
): Promise<void> {
  const named = Object.entries(headers).flatMap(([name, content]) => ['-H', `${name}=${content}`])
  const where = ['-b', brokers.join(','), '-t', topic]
  const child = spawn(kcat, ['-P', ...where, '-k', String(key), '-z', compression, ...named])
  const errors = text(child.stderr)
  child.stdin.end(`${value}\n`)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`kcat ended with code ${code}: ${await errors}`)
}

/** The name of kcat where it can be run, or of kafkacat, as it was called before. */
export function findKcat(): string | undefined {
  const found = ['kcat', 'kafkacat'].find((name) => spawnSync(name, ['-V']).status === 0)
  if (!found && /\bkcat\b/.test(process.env.HERALD_MUST_HAVE ?? ''))
    throw new Error('HERALD_MUST_HAVE names kcat, and there is none.')
  return found
}
