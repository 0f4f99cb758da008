import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { startService } from '@herald/local-herald'
import { createStore } from '@herald/store'
import { createTokenIssuer } from '@herald/token-issuer'
import { alternate } from '../../alternate.ts'
import { type CpuTime, cpuTimes, withCpuTime } from '../../cpu-time.ts'
import type { Figure } from '../../figure.ts'
import { timeEach } from '../../measure.ts'
import type { BenchContext } from '../../part.ts'
import { processUsage } from '../../process-usage.ts'
import { changeEntry } from '../../query/change-entries.ts'
import { readByCommands, readByCursor } from '../../query/read-all.ts'
import { takeAll } from '../../query/take-all.ts'
import { serviceSettings } from '../../settings.ts'
import { showNumber } from '../../show-number.ts'

const mebi = 2 ** 20

/** Exports the change log, compared with reading it from MongoDB. */
export async function measureExport(context: BenchContext): Promise<Figure[]> {
  const { servers, client, log, smoke, serverProcesses } = context
  const entries = smoke ? 2_000 : 1_000_000
  const name = `bench-${randomUUID()}`
  const tokens = await createTokenIssuer()
  const subscriberId = randomUUID()
  await storeEntries(servers.mongodbUri, name, subscriberId, entries)
  log(`${entries} change entries stored`)
  const { mongodbUri, kafkaBrokers } = servers
  const settings = serviceSettings({ mongodbUri, database: name, tokens, kafkaBrokers })
  const token = await tokens.sign({ subscriber_id: subscriberId })
  const exportBytes = await verifiedBytes(settings, token, entries)
  const query = await startService('query', settings)
  const { memoryBytes: idle } = await processUsage(query.pid)
  const extra: number[] = []
  const measure = (pid: number, task: () => Promise<void>) => {
    const begun = performance.now()
    const run = async () => {
      await task()
      return { perSecond: entries / ((performance.now() - begun) / 1_000) }
    }
    return withCpuTime({ service: pid, ...serverProcesses }, run, () => entries)
  }
  const readAll = async (read: typeof readByCursor) => {
    const { documents, bytes } = await read(client.db(name), 'change-entries')
    if (documents !== entries || bytes < entries * 100)
      throw new Error(`${documents} of ${entries} entries, ${bytes} bytes`)
  }
  try {
    const { herald, cursor, commands } = await alternate(
      context,
      {
        async herald() {
          const measured = await measure(query.pid, async () => {
            const bytes = await takeAll(`${query.url}/change-entries/all`, token)
            // The sizes include HTTP's chunk headers, which vary.
            if (Math.abs(bytes - exportBytes) > exportBytes / 1_000) throw new Error(`The export has ${bytes} bytes`)
          })
          // Peak since the process started: memory kept by the first export also counts for the next ones.
          extra.push(((await processUsage(query.pid)).peakMemoryBytes - idle) / mebi)
          return measured
        },
        cursor: () => measure(process.pid, () => readAll(readByCursor)),
        commands: () => measure(process.pid, () => readAll(readByCommands)),
      },
      ({ perSecond, cpu }) =>
        `${showNumber(perSecond)} rows/s, CPU ${Object.values(cpu).map(showNumber).join(' + ')} µs`,
    )
    const exported = { what: 'change-entries/all as JSON', unit: 'rows/s', ...asFigure(herald) }
    return [
      {
        ...exported,
        beside: { name: 'the driver’s raw cursor in batches', ...asFigure(cursor) },
        goal: { atLeast: 0.7 },
      },
      { ...exported, beside: { name: 'find commands, their bytes only', ...asFigure(commands) } },
      {
        what: 'memory of query above idle meanwhile',
        unit: 'MiB',
        measured: extra.slice(-context.rounds),
        goal: { atMost: 64 },
      },
    ]
  } finally {
    await query.stop()
    await client.db(name).dropDatabase()
  }
}

const asFigure = (rounds: readonly { readonly perSecond: number; readonly cpu: CpuTime }[]) => ({
  measured: rounds.map(({ perSecond }) => perSecond),
  cpu: cpuTimes(rounds),
})

/** Exports with another process, checks that all entries are there, and returns the size of the response in bytes. */
async function verifiedBytes(settings: NodeJS.ProcessEnv, token: string, entries: number): Promise<number> {
  const query = await startService('query', settings)
  try {
    const url = `${query.url}/change-entries/all`
    const lines = await fetch(url, { headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' } })
    const ids = new Set<string>()
    for await (const line of createInterface({ input: Readable.fromWeb(lines.body as ReadableStream<Uint8Array>) })) {
      ids.add((JSON.parse(line) as { id: string }).id)
    }
    if (ids.size !== entries) throw new Error(`${ids.size} of ${entries} entries were exported`)
    return await takeAll(url, token)
  } finally {
    await query.stop()
  }
}

const entriesPerInsert = 1_000
const insertsAtOnce = 3

async function storeEntries(uri: string, database: string, subscriberId: string, count: number): Promise<void> {
  const store = createStore({ uri, database, applicationName: 'herald-bench' })
  try {
    await store.migrate()
    await timeEach(Math.ceil(count / entriesPerInsert), insertsAtOnce, (insert) => {
      const start = insert * entriesPerInsert
      const size = Math.min(entriesPerInsert, count - start)
      return store.changeEntries.insertNew(Array.from({ length: size }, (_, i) => changeEntry(subscriberId, start + i)))
    })
  } finally {
    await store.close()
  }
}
