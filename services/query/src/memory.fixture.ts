import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type StartedService, startService } from '@herald/local-herald'
import { createStore } from '@herald/store'
import { createTokenIssuer } from '@herald/token-issuer'
import { MongoClient } from 'mongodb'

/** Starts the service as a separate process with the options of its image, so that its memory can be measured. */
export async function createMemoryTest(name: string) {
  const issuer = await createTokenIssuer()
  const uri = process.env.MONGODB_URI ?? ''
  const database = `herald-test-memory-${name}-${process.pid}`
  const store = createStore({ uri, database, applicationName: 'test' })
  await store.migrate()
  const settings = {
    MONGODB_URI: uri,
    MONGODB_DATABASE: database,
    ...issuer.settings,
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  }

  return {
    store,
    database,
    newUser: async (subscriberId: string = randomUUID()) => {
      const id = randomUUID()
      return { id, subscriberId, token: await issuer.sign({ sub: id, subscriber_id: subscriberId }) }
    },
    /** The largest resident size, in MiB, of a process that only serves `work`. */
    async peakOf(work: (service: StartedService) => Promise<unknown>): Promise<number> {
      const service = await startService('query', settings)
      try {
        await work(service)
        expectAlive(service)
        return peakMiB(service.pid)
      } finally {
        await service.stop()
      }
    },
    async end() {
      await store.close()
      const client = new MongoClient(uri)
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}

function expectAlive(service: StartedService): void {
  process.kill(service.pid, 0)
}

function peakMiB(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}

/**
 * Reads a response up to about `maxBytes`, and repeats a request that has waited too long for memory, which happens on a
 * slow machine, as its `Retry-After` says.
 *
 * @returns its status and the number of bytes read
 */
export async function read(url: string, token: string, maxBytes = Number.POSITIVE_INFINITY) {
  for (;;) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    let bytes = 0
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length
      if (bytes > maxBytes) break
    }
    if (answer.status !== 429) return { status: answer.status, bytes }
    await pause(Number(answer.headers.get('retry-after')) * 1_000)
  }
}

/** Sends a request without reading the response. */
export async function requestWithoutReading(url: string, path: string, token: string, method = 'GET'): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`)
  return socket
}

/** Waits until the resident size stops growing. */
export async function untilSettled({ pid }: StartedService): Promise<void> {
  for (let before = 0, unchanged = 0; unchanged < 4; ) {
    await pause(500)
    const now = peakMiB(pid)
    unchanged = now > before ? 0 : unchanged + 1
    before = now
  }
}
