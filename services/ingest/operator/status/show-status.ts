import { type Line, toColumns, toTable } from '../command-line/terminal.ts'
import type { KafkaStatus, Status, StorageStatus } from './read-status.ts'

/** Everything that is not as it should be. */
export function problemsOf({ announces, kafka, mongodb, restored }: Status): string[] {
  return [
    ...(restored ? [restoredText(restored)] : []),
    ...(kafka.ok
      ? [...kafka.problems, ...kafka.standing.map(standingText)]
      : [`Kafka is unavailable: ${kafka.reason}`]),
    ...(mongodb.ok
      ? [
          ...mongodb.differences.map((difference) => `MongoDB: ${difference}; run migrate`),
          ...clockTexts(mongodb.clockAheadMs),
          ...stalledTexts(mongodb, announces),
          ...(mongodb.stoppedLogs === 0 ? [] : [`${stoppedText(mongodb.stoppedLogs)}; see herald log status`]),
        ]
      : [`MongoDB is unavailable: ${mongodb.reason}`]),
  ]
}

const standingText = ({ topic, partition, lag }: KafkaStatus['standing'][number]) =>
  `${topic}/${partition}: ${lag} records wait, and nothing was stored for 30 s. Runbook: No progress`

/** Seconds after which what waits does not go on by itself; the alerts have the same. */
const stalledAfter = { order: 60, erasures: 300, announcements: 300, requests: 300 } as const

const clocksApartMs = 5_000

function clockTexts(aheadMs: number): string[] {
  if (Math.abs(aheadMs) <= clocksApartMs) return []
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  return [
    `The clock of MongoDB’s primary is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this one. Runbook: Clocks apart`,
  ]
}

type Waiting = { readonly count: number; readonly oldest?: Date | undefined }

const secondsOf = ({ oldest }: Waiting, { now }: Pick<StorageStatus, 'now'>) =>
  oldest === undefined ? 0 : Math.max(0, Math.round((now.getTime() - oldest.getTime()) / 1_000))

function stalledTexts(storage: StorageStatus, announces: boolean): string[] {
  const { orderLagSeconds = 0, openErasures, dueAnnouncements, interruptedRequests } = storage
  const textOf = (waiting: Waiting, limit: number, text: string) => {
    const seconds = secondsOf(waiting, storage)
    return seconds > limit ? [`${waiting.count} ${text} ${seconds} s`] : []
  }
  return [
    ...(orderLagSeconds > stalledAfter.order ? [`The recorded order is ${orderText(orderLagSeconds)}`] : []),
    ...textOf(openErasures, stalledAfter.erasures, 'erasures stand still, the oldest for'),
    ...(announces ? textOf(dueAnnouncements, stalledAfter.announcements, 'announcements wait, the oldest for') : []),
    ...textOf(interruptedRequests, stalledAfter.requests, 'interrupted requests wait, the oldest for'),
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
    ...(mongodb.ok ? ['', ...showStorage(mongodb)] : []),
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

function showStorage(storage: StorageStatus): Line[] {
  const { version, primary, majorityBehindMs, waitingReceipts, interruptedRequests, orderLagSeconds } = storage
  const ageOf = (waiting: Waiting): string =>
    waiting.oldest === undefined ? 'none' : `${waiting.count}, the oldest for ${secondsOf(waiting, storage)} s`
  return [
    { format: 'bold', text: 'MongoDB' },
    ...toColumns([
      ['version', version],
      ['primary', primary ?? 'unknown'],
      ['clock', `${Math.round(storage.clockAheadMs / 1_000)} s ahead of this one`],
      ['majority', `${Math.round(majorityBehindMs / 1_000)} s behind the primary`],
      ['recorded order', orderText(orderLagSeconds)],
      ['waiting receipts', ageOf(waitingReceipts)],
      ['interrupted requests', ageOf(interruptedRequests)],
      ['erasures', ageOf(storage.openErasures)],
      ['announcements', ageOf(storage.dueAnnouncements)],
    ]),
  ]
}
