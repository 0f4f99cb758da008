import { setTimeout as pause } from 'node:timers/promises'
import type { Collection, Document } from 'mongodb'
import { processUsage } from '../process-usage.ts'

export type Drain = {
  /** Documents per second from the first to the last, without the start and the group's initial delay. */
  readonly perSecond: number
  /** CPU time of the process per document in microseconds. */
  readonly cpuPerDocument: number
  readonly peakMemoryBytes: number
}

const pollMs = 20
const limitMs = 300_000

/** Waits until the collection contains `expected` documents, and returns how fast they were stored. */
export async function measureDrain(collection: Collection<Document>, expected: number, pid: number): Promise<Drain> {
  const deadline = performance.now() + limitMs
  const until = async (target: number) => {
    for (;;) {
      const count = await collection.estimatedDocumentCount()
      if (count >= target) return { count, at: performance.now(), usage: await processUsage(pid) }
      if (performance.now() > deadline) throw new Error(`${count} of ${expected} documents after ${limitMs / 1_000} s`)
      await pause(pollMs)
    }
  }
  const first = await until(1)
  const last = await until(expected)
  const documents = last.count - first.count
  return {
    perSecond: documents / ((last.at - first.at) / 1_000),
    cpuPerDocument: ((last.usage.cpuSeconds - first.usage.cpuSeconds) / documents) * 1e6,
    peakMemoryBytes: last.usage.peakMemoryBytes,
  }
}
