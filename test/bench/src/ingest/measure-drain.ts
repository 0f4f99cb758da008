import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@herald/test-servers'
import type { Collection, Document } from 'mongodb'
import { type CpuTime, cpuPerOperation, cpuSeconds, type MeasuredProcesses } from '../cpu-time.ts'
import { processUsage } from '../process-usage.ts'

export type Drain = {
  /** Documents per second from the first to the last, without the start and the group's initial delay. */
  readonly perSecond: number
  /** Per document. */
  readonly cpu: CpuTime
  readonly peakMemoryBytes: number
}

const pollMs = 20
const limitMs = 300_000

/** Waits until the collection contains `expected` documents, and returns how fast they were stored. */
export async function measureDrain(
  collection: Collection<Document>,
  expected: number,
  processes: MeasuredProcesses & { readonly service: number },
): Promise<Drain> {
  const deadline = performance.now() + limitMs
  const until = async (target: number) => {
    for (;;) {
      const count = await collection.estimatedDocumentCount()
      if (count >= target) return { count, at: performance.now(), cpu: await cpuSeconds(processes) }
      if (performance.now() > deadline) throw new Error(`${count} of ${expected} documents after ${limitMs / 1_000} s`)
      await pause(pollMs)
    }
  }
  const first = await until(1)
  const last = await until(expected)
  const documents = last.count - first.count
  // The estimate runs ahead of what a query sees.
  await eventually(async () => (await collection.countDocuments()) === expected, {
    description: `${expected} documents, and not one more`,
    within: 10_000,
  })
  return {
    perSecond: documents / ((last.at - first.at) / 1_000),
    cpu: cpuPerOperation(first.cpu, last.cpu, documents),
    peakMemoryBytes: (await processUsage(processes.service)).peakMemoryBytes,
  }
}
