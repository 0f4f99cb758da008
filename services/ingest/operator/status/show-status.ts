import { type Line, toColumns, toTable } from '../command-line/terminal.ts'
import type { KafkaStatus, Status, StorageStatus } from './read-status.ts'

/** Everything that is not as it should be. */
export function problemsOf({ kafka, mongodb, restored }: Status): string[] {
  return [
    ...(restored ? [restoredText(restored)] : []),
    ...(kafka.ok ? kafka.problems : [`Kafka is unavailable: ${kafka.reason}`]),
    ...(mongodb.ok
      ? [
          ...mongodb.differences.map((difference) => `MongoDB: ${difference}; run migrate`),
          ...(mongodb.stoppedLogs === 0 ? [] : [`${stoppedText(mongodb.stoppedLogs)}; see herald log status`]),
        ]
      : [`MongoDB is unavailable: ${mongodb.reason}`]),
  ]
}

function restoredText({ partitions, notedAt, rewindFrom }: NonNullable<Status['restored']>): string {
  const until = notedAt ? `its last note of this group is of ${notedAt.toISOString()}` : 'it has no note of this group'
  const from = rewindFrom ? `from ${rewindFrom.toISOString()} on` : 'from the beginning'
  return `MongoDB was restored from a backup: ${until}, and ${partitions} partitions were committed further. Stop ingest and seal, and run herald restored: it reads again ${from}`
}

export const stoppedText = (logs: number) => `${logs} sealed ${logs === 1 ? 'log is' : 'logs are'} stopped`

export const orderText = (lagSeconds: number | undefined) =>
  lagSeconds === undefined ? 'no sequencer has run' : `${lagSeconds} s behind what is stored`

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
  const rows = partitions.map(({ topic, partition, lag, published, stored }): [string, ...string[]] => [
    `${topic}/${partition}`,
    String(lag),
    String(published ?? '–'),
    String(stored ?? '–'),
    timeLeft(lag, stored, published),
  ])
  const [head = '', ...lines] = toTable([['topic', 'lag', 'published/s', 'stored/s', 'caught up in'], ...rows])
  return [
    { format: 'bold', text: `Kafka, group ${group}` },
    { format: 'dim', text: head },
    ...lines.map((line, index): Line => (partitions[index]?.lag === 0 ? line : { format: 'yellow', text: line })),
  ]
}

/** The time left at the present rates; `never` if more is published than stored. */
function timeLeft(lag: number, stored: number | undefined, published: number | undefined): string {
  if (lag === 0) return 'now'
  const gain = (stored ?? 0) - (published ?? 0)
  return gain > 0 ? `${Math.ceil(lag / gain)} s` : 'never'
}

function showStorage(storage: StorageStatus, now: Date): Line[] {
  const { version, primary, majorityBehindMs, waitingReceipts, interruptedRequests, orderLagSeconds } = storage
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
      ['recorded order', orderText(orderLagSeconds)],
      ['waiting receipts', ageOf(waitingReceipts)],
      ['interrupted requests', ageOf(interruptedRequests)],
    ]),
  ]
}
