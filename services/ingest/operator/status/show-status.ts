import { type Line, toColumns } from '../command-line/terminal.ts'
import type { KafkaStatus, Status, StorageStatus } from './read-status.ts'

/** Everything that is not as it should be. */
export function problemsOf({ kafka, mongodb }: Status): string[] {
  return [
    ...(kafka.ok ? kafka.problems : [`Kafka is unavailable: ${kafka.reason}`]),
    ...(mongodb.ok
      ? mongodb.differences.map((difference) => `MongoDB: ${difference}; run migrate`)
      : [`MongoDB is unavailable: ${mongodb.reason}`]),
  ]
}

export function showStatus(
  status: Status & { readonly version: string; readonly revision?: string | undefined },
): Line[] {
  const { time, version, revision, group, kafka, mongodb } = status
  const problems = problemsOf(status)
  return [
    { format: 'bold', text: `Herald ${[version, revision ?? []].flat().join(' ')}  ${time}` },
    ...(problems.length === 0
      ? [{ format: 'green', text: '  everything is in place' } as const]
      : problems.map((problem) => ({ format: 'red', text: `! ${problem}` }) as const)),
    ...(kafka.ok ? ['', ...showKafka(group, kafka)] : []),
    ...(mongodb.ok ? ['', ...showStorage(mongodb, new Date(time))] : []),
  ]
}

function showKafka(group: string, { partitions }: KafkaStatus): Line[] {
  const head = ['topic', 'lag', 'published/s', 'stored/s', 'caught up in']
  const rows = partitions.map(({ topic, partition, lag, published, stored }) => [
    `${topic}/${partition}`,
    String(lag),
    String(published ?? '–'),
    String(stored ?? '–'),
    timeLeft(lag, stored, published),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const toLine = (cells: readonly string[]) =>
    `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`
  return [
    { format: 'bold', text: `Kafka, group ${group}` },
    { format: 'dim', text: toLine(head) },
    ...rows.map(
      (row, index): Line => (partitions[index]?.lag === 0 ? toLine(row) : { format: 'yellow', text: toLine(row) }),
    ),
  ]
}

/** At the present rates; `never` if more is published than stored. */
function timeLeft(lag: number, stored: number | undefined, published: number | undefined): string {
  if (lag === 0) return 'now'
  const gain = (stored ?? 0) - (published ?? 0)
  return gain > 0 ? `${Math.ceil(lag / gain)} s` : 'never'
}

function showStorage(storage: StorageStatus, now: Date): Line[] {
  const { version, primary, majorityBehindMs, waitingReceipts, interruptedRequests } = storage
  const ageOf = ({ count, oldest }: StorageStatus['waitingReceipts']): string => {
    if (oldest === undefined) return 'none'
    return `${count}, the oldest for ${Math.round((now.getTime() - oldest.getTime()) / 1_000)} s`
  }
  return [
    { format: 'bold', text: 'MongoDB' },
    ...toColumns([
      ['version', version],
      ['primary', primary ?? 'unknown'],
      ['majority', `${Math.round(majorityBehindMs / 1_000)} s behind the primary`],
      ['waiting receipts', ageOf(waitingReceipts)],
      ['interrupted requests', ageOf(interruptedRequests)],
    ]),
  ]
}
