import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@herald/test-servers'
import type { Collection, Document } from 'mongodb'
import { type CpuTime, cpuPerOperation, cpuSeconds, type MeasuredProcesses } from '../cpu-time.ts'
import { processUsage } from '../process-usage.ts'

export type Drain = {
  /** Documents per second while the clock runs. */
  readonly perSecond: number
  /** Per document. */
  readonly cpu: CpuTime
  /** The peak of the contestant's greatest process. */
  readonly peakMemoryBytes: number
  /** The relative difference of the rates before the clock starts: of the last two sixteenths of the topic. */
  readonly drift: number
}

type DrainingProcesses = MeasuredProcesses & Required<Pick<MeasuredProcesses, 'service'>>
type Sample = { readonly count: number; readonly at: number; readonly cpu: CpuTime }

const pollMs = 20
/** Sixteenths of the topic: warm-up at least and at most, and then those that are measured. The rest is drained, too. */
const [blocks, leastWarmUp, mostWarmUp, measured] = [16, 6, 11, 4] as const
const warmDrift = 0.05

/** Waits until the collection contains `expected` documents, and returns how fast they were stored; see {@link watchDrain}. */
export async function measureDrain(
  collection: Collection<Document>,
  expected: number,
  processes: DrainingProcesses,
): Promise<Drain> {
  const drain = await watchDrain(() => collection.estimatedDocumentCount(), expected, processes)
  // The estimate runs ahead of what a query sees.
  await eventually(async () => (await collection.countDocuments()) === expected, {
    description: `${expected} documents, and not one more`,
    within: 10_000,
  })
  return drain
}

/**
 * Waits until `expected` documents are counted, and returns how fast they were stored. The clock starts once the
 * contestant is warm: when the rates of the last two sixteenths differ by at most 5 %. It starts and stops in the middle of the
 * topic, where as much is fetched but not stored yet, and where all partitions have records.
 */
export async function watchDrain(
  countStored: () => Promise<number>,
  expected: number,
  processes: DrainingProcesses,
  { limitMs = 300_000 }: { readonly limitMs?: number } = {},
): Promise<Drain> {
  const deadline = performance.now() + limitMs
  const until = async (target: number): Promise<Sample> => {
    for (;;) {
      const count = await countStored()
      if (count >= target) return { count, at: performance.now(), cpu: await cpuSeconds(processes) }
      if (performance.now() > deadline) throw new Error(`${count} of ${expected} documents after ${limitMs / 1_000} s`)
      await pause(pollMs)
    }
  }
  const block = expected / blocks
  let start = await until(block)
  let [before, rate] = [Number.NaN, Number.NaN]
  const drift = () => Math.abs(rate / before - 1)
  for (let done = 1; done < mostWarmUp && (done < leastWarmUp || drift() > warmDrift); ) {
    const next = await until(++done * block)
    ;[before, rate] = [rate, rateBetween(start, next)]
    start = next
  }
  const end = await until(Math.min(expected, start.count + measured * block))
  await until(expected)
  const usages = await Promise.all([processes.service].flat().map(processUsage))
  return {
    perSecond: rateBetween(start, end),
    cpu: cpuPerOperation(start.cpu, end.cpu, end.count - start.count),
    peakMemoryBytes: Math.max(...usages.map(({ peakMemoryBytes }) => peakMemoryBytes)),
    drift: drift(),
  }
}

const rateBetween = (from: Sample, to: Sample) => (to.count - from.count) / ((to.at - from.at) / 1_000)

export const isWarm = ({ drift }: Drain) => drift <= warmDrift
