import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { StoredChangeEntry } from '@herald/change-log'
import type { NewNotification } from '@herald/feed'
import { createStore } from '@herald/store'
import { startReplicaSet } from '@herald/test-servers'
import { MongoClient } from 'mongodb'
import { withServerCpu } from '../layout/server-cpu.ts'
import { processUsage } from '../process-usage.ts'

// Measures the erasure of a person: time, CPU time of the worker and of mongod, peak memory, and the same with the process killed
// half-way and started again.
const { values } = parseArgs({ options: { traces: { type: 'string', default: '1000000' } } })
const traces = Number(values.traces)
const database = 'herald-erase-person'
const perChunk = 1_000
const start = Date.parse('2026-01-01T00:00:00Z')
const idOf = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
const [subscriberId, person] = [idOf(1), idOf(2)]
const worker = fileURLToPath(new URL('carry-out.ts', import.meta.url))

const servers = await startReplicaSet()
const store = createStore({ uri: servers.uri, database, applicationName: 'herald-bench' })
const client = new MongoClient(servers.uri)

/** Four of ten traces are mentions by the person, three mention the person, three are change entries. */
async function fill(): Promise<void> {
  for (let n = 0; n < traces; n += perChunk) {
    const notifications: NewNotification[] = []
    const entries: StoredChangeEntry[] = []
    for (let i = n; i < Math.min(traces, n + perChunk); i++) {
      if (i % 10 >= 7) entries.push(changeBy(i))
      else notifications.push(i % 10 < 4 ? mention(i, person, idOf(1_000 + (i % 5_000))) : mention(i, idOf(3), person))
    }
    await Promise.all([store.notifications.insertNew(notifications), store.changeEntries.insertNew(entries)])
  }
}

/** A UUIDv7 whose time is n milliseconds after the start. */
function idAndTime(n: number) {
  const time = (start + n).toString(16).padStart(12, '0')
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
  return { id, createdAt: new Date(start + n) }
}

function mention(n: number, actorId: string, recipientId: string): NewNotification {
  return {
    ...idAndTime(n),
    subscriberId,
    type: 'mention',
    actorType: 'user',
    subjectType: 'user',
    subjectId: idOf(4),
    actor: { id: actorId, name: 'Ada Lovelace', image: '' },
    locationId: idOf(5),
    locationType: 'comment',
    metadata:
      '{"mention":{"mentionerName":"Ada Lovelace","snippet":"Look at this","entityType":"e"},"add":{},"edit":{}}',
    recipientIds: [recipientId],
  }
}

function changeBy(n: number): StoredChangeEntry {
  return {
    ...idAndTime(n),
    subscriberId,
    user: { id: person, name: 'Ada Lovelace', email: 'ada@mail.example' },
    entityType: 'portfolio',
    entityId: 'p-1',
    entityTitle: 'Engines',
    actionType: 'update',
    changedField: 'name',
    beforeState: '"a"',
    afterState: '"b"',
  }
}

type Run = {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMiB: number
  readonly erased: number
}

/** Runs the worker to its end, or kills it once it has erased so many. */
async function run(killAt = Number.POSITIVE_INFINITY): Promise<Run> {
  const startedAt = performance.now()
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', worker, servers.uri, database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let [erased, peakMiB, cpuSeconds] = [0, 0, 0]
  const measure = async () => {
    const usage = await processUsage(child.pid ?? 0)
    if (!(usage.peakMemoryBytes > 0)) return
    peakMiB = Math.max(peakMiB, Math.round(usage.peakMemoryBytes / 2 ** 20))
    cpuSeconds = Math.max(cpuSeconds, usage.cpuSeconds)
  }
  const timer = setInterval(measure, 250)
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    erased = Number(line.split(' ')[0])
    if (erased >= killAt) child.kill('SIGKILL')
  }
  await exited
  clearInterval(timer)
  return { seconds: Math.round((performance.now() - startedAt) / 1_000), cpuSeconds, peakMiB, erased }
}

async function prepare(): Promise<void> {
  await store.migrate()
  await fill()
  await store.erasures.accept([{ subscriberId, eventId: idOf(9), time: new Date(start + traces), personId: person }])
}

async function print(
  name: string,
  { seconds, cpuSeconds, cpu, peakMiB, erased }: Run & { cpu: number },
): Promise<void> {
  const { count: open } = await store.erasures.readOpen()
  const left = (await store.notifications.of({ subscriberId, recipientId: person }).counts()).unreadCount
  console.log(
    `${name}: ${seconds} s, ${cpuSeconds} s of CPU, ${(cpu / 1e6).toFixed(1)} s of CPU in mongod, at most ${peakMiB} MiB, ${erased} erased so far, ${left} left in the feed, ${open} open`,
  )
}

try {
  await prepare()
  console.log(`${traces} traces stored`)
  await print('killed half-way', await withServerCpu(client.db(database), () => run(traces / 2)))
  await print('resumed', await withServerCpu(client.db(database), () => run()))
} finally {
  await client.close()
  await store.close()
  await servers.stop()
}
