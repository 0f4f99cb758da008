import { type Style, toColumns } from '../command-line/style.ts'
import type { PartitionStatus, Status, Waiting } from './read-status.ts'

/** Everything that is not as it should be. */
export function problemsOf({ kafka, mongodb }: Status): string[] {
  return [
    ...(kafka.ok ? kafka.problems : [`Kafka is unavailable: ${kafka.reason}`]),
    ...(mongodb.ok
      ? mongodb.differences.map((difference) => `MongoDB: ${difference}; run migrate`)
      : [`MongoDB is unavailable: ${mongodb.reason}`]),
  ]
}

export function showStatus(status: Status, style: Style): string[] {
  const { time, version, revision, kafka, mongodb } = status
  const problems = problemsOf(status)
  return [
    `${style('bold', 'Herald')} ${[version, revision].filter(Boolean).join(' ')}  ${time}`,
    ...(problems.length === 0
      ? [style('green', '  everything is in place')]
      : problems.map((problem) => style('red', `! ${problem}`))),
    ...(kafka.ok ? ['', ...showKafka(status, kafka, style)] : []),
    ...(mongodb.ok ? ['', ...showStorage(mongodb, new Date(time), style)] : []),
  ]
}

type Kafka = Extract<Status['kafka'], { ok: true }>
type Storage = Extract<Status['mongodb'], { ok: true }>

function showKafka({ group }: Status, { brokers, controller, partitions }: Kafka, style: Style): string[] {
  const addresses = brokers.map(({ id, address }) => `${address}${id === controller ? ' (controller)' : ''}`)
  return [
    style('bold', 'Kafka'),
    ...toColumns([
      ['brokers', `${brokers.length}: ${addresses.join(', ')}`],
      ['group', group],
    ]),
    ...showPartitions(partitions, style),
  ]
}

function showPartitions(partitions: readonly PartitionStatus[], style: Style): string[] {
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
    style('dim', toLine(head)),
    ...rows.map((row, index) => ((partitions[index]?.lag ?? 0) > 0 ? style('yellow', toLine(row)) : toLine(row))),
  ]
}

/** At the present rates; `never` if more is published than stored. */
function timeLeft(lag: number, stored: number | undefined, published: number | undefined): string {
  if (lag === 0) return 'now'
  const gain = (stored ?? 0) - (published ?? 0)
  return gain > 0 ? `${Math.ceil(lag / gain)} s` : 'never'
}

function showStorage(storage: Storage, now: Date, style: Style): string[] {
  const { version, primary, majorityBehindMs, waitingReceipts, interruptedRequests, dueAnnouncements } = storage
  const ageOf = (waiting: Waiting | undefined): string => {
    if (waiting === undefined) return 'unknown'
    const { count, oldest } = waiting
    if (oldest === undefined) return 'none'
    return `${count}, the oldest for ${Math.round((now.getTime() - oldest.getTime()) / 1_000)} s`
  }
  return [
    style('bold', 'MongoDB'),
    ...toColumns([
      ['version', version],
      ['primary', primary ?? 'unknown'],
      ['majority', `${Math.round(majorityBehindMs / 1_000)} s behind the primary`],
      ['waiting receipts', ageOf(waitingReceipts)],
      ['interrupted requests', ageOf(interruptedRequests)],
      ['due announcements', ageOf(dueAnnouncements)],
    ]),
  ]
}
