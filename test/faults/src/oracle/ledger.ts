import { type FileHandle, open } from 'node:fs/promises'
import { eventKinds } from './event-plan.ts'
import { createPartitionLedger, type PartitionLedger } from './partition-ledger.ts'

/** A poison record as it was produced. */
export type PoisonRecord = {
  n: number
  key: string | null
  /** Not kept of a record of many megabytes. */
  value: string | null
  valueBytes?: number | undefined
  headers: [string, string | null][]
}

/** Every record that the broker acknowledged according to the producer's log, by partition and by event. */
export type Ledger = {
  /** Reads the new lines of the log. */
  refresh(): Promise<void>
  acknowledged(): number
  /** Whether event `n` was acknowledged as a valid record. */
  wasPublished(n: number): boolean
  /** One more than the highest event. */
  end(): number
  /** A record that is not of the plan: whoever published it checks its documents and its dead letter. */
  addOther(topic: string, partition: number, offset: number): void
  isOther(place: string): boolean
  partitions: ReadonlyMap<string, PartitionLedger>
  poison: ReadonlyMap<string, PoisonRecord>
  close(): Promise<void>
}

export const placeOf = (topic: string, partition: number, offset: number | string) => `${topic}/${partition}/${offset}`

export async function openLedger(file: string, topics: Readonly<Record<string, string>>): Promise<Ledger> {
  const handle: FileHandle = await open(file, 'a+')
  const partitions = new Map<string, PartitionLedger>()
  const poison = new Map<string, PoisonRecord>()
  const others = new Set<string>()
  const names = eventKinds.map((kind) => topics[kind] as string)
  const buffer = Buffer.allocUnsafe(1 << 20)
  let published = new Uint8Array(1 << 16)
  let position = 0
  let rest = ''
  let count = 0
  let end = 0
  let refreshing: Promise<void> | undefined

  const ledgerOf = (topic: string, partition: number): PartitionLedger => {
    const name = `${topic}/${partition}`
    const ledger = partitions.get(name) ?? createPartitionLedger(topic, partition)
    partitions.set(name, ledger)
    return ledger
  }

  const add = (line: string): void => {
    const [event, kind, partition, offset, record] = line.split(' ')
    const n = Number(event)
    const topic = names[Number(kind)] as string
    const ledger = ledgerOf(topic, Number(partition))
    if (event === '-') {
      ledger.addVoid(Number(offset))
      return
    }
    ledger.add(Number(offset), n, record !== undefined)
    count++
    end = Math.max(end, n + 1)
    if (record !== undefined) {
      const { key, value, headers, valueBytes } = JSON.parse(Buffer.from(record, 'base64').toString())
      poison.set(placeOf(topic, Number(partition), Number(offset)), { n, key, value, headers, valueBytes })
      return
    }
    if (n >= published.length) {
      const larger = new Uint8Array(Math.max(n + 1, published.length * 2))
      larger.set(published)
      published = larger
    }
    published[n] = 1
  }

  const readAll = async (): Promise<void> => {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) return
      position += bytesRead
      const lines = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) add(line)
    }
  }

  return {
    async refresh() {
      refreshing ??= readAll().finally(() => {
        refreshing = undefined
      })
      await refreshing
    },
    acknowledged: () => count,
    wasPublished: (n) => published[n] === 1,
    end: () => end,
    addOther(topic, partition, offset) {
      others.add(placeOf(topic, partition, offset))
      if (names.includes(topic)) ledgerOf(topic, partition).addVoid(offset)
    },
    isOther: (place) => others.has(place),
    partitions,
    poison,
    close: () => handle.close(),
  }
}
