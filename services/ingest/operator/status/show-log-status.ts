import type { LogStatus, LogsStatus } from '@herald/change-log'
import { type Line, toColumns, toTable } from '../command-line/terminal.ts'
import { orderText, stoppedText } from './show-status.ts'

type Shown = LogsStatus & { readonly version: string; readonly time: Date }

/** @param isOne one log was asked for: its public keys are shown in full */
export function showLogStatus(
  { version, time, sealing, orderLagSeconds, stopped, logs }: Shown,
  { isOne }: { readonly isOne: boolean },
): Line[] {
  const keys = isOne ? logs.flatMap(({ verifierKeys }) => verifierKeys) : (sealing?.publicKeys ?? [])
  return [
    { format: 'bold', text: `Herald ${version}  ${time.toISOString()}` },
    ...(stopped === 0 ? [] : [{ format: 'red', text: `! ${stoppedText(stopped)}` } as const]),
    '',
    { format: 'bold', text: 'Order and seal' },
    ...toColumns([
      ['recorded order', orderText(orderLagSeconds)],
      ['origin', sealing?.origin ?? 'no sealer with a key has run'],
      ...keys.map((key, at): [string, string] => [at === 0 ? 'public key' : 'earlier key', key]),
    ]),
    '',
    ...showLogs(logs, time),
  ]
}

function showLogs(logs: readonly LogStatus[], now: Date): Line[] {
  if (logs.length === 0) return ['No log has entries.']
  const rows = logs.map((log): [string, ...string[]] => [
    log.subscriberId,
    String(log.length),
    String(log.sealedSize),
    log.sealedAt?.toISOString() ?? '–',
    unsealedIn(log, now),
  ])
  const [head = '', ...lines] = toTable([['log', 'recorded', 'sealed', 'newest checkpoint', 'unsealed'], ...rows])
  return [
    { format: 'dim', text: head },
    ...lines.map((line, at): Line => (logs[at]?.conflict ? { format: 'red', text: line } : line)),
    ...logs.flatMap(({ subscriberId, conflict }): Line[] => {
      if (conflict === undefined) return []
      const { foundAt, reason } = conflict
      return [{ format: 'red', text: `! ${subscriberId} is stopped since ${foundAt.toISOString()}: ${reason}` }]
    }),
    ...showWitnesses(logs, now),
  ]
}

/** How far each witness is behind, and a line for each log that it has not cosigned. */
function showWitnesses(logs: readonly LogStatus[], now: Date): Line[] {
  const all = logs.flatMap(({ subscriberId, witnesses }) => witnesses.map((one) => ({ subscriberId, ...one })))
  const names = [...new Set(all.map(({ witness }) => witness))]
  if (names.length === 0) return []
  const lines = names.flatMap((name): Line[] => {
    const ofIt = all.filter(({ witness }) => witness === name)
    const behind = ofIt.filter(({ behindSince }) => behindSince !== undefined)
    const seconds = Math.max(0, ...behind.map(({ behindSince }) => secondsSince(behindSince, now)))
    const text =
      behind.length === 0 ? 'none of these logs' : `${behind.length} of ${ofIt.length} logs, up to ${seconds} s`
    return [
      `${name} is behind with ${text}`,
      ...behind.map(({ subscriberId, size, behindSince, problem }): Line => {
        const why = problem === undefined ? '' : `: ${problem}`
        const since = `${secondsSince(behindSince, now)} s`
        return {
          format: 'red',
          text: `! ${subscriberId} is cosigned up to ${size}, and not further for ${since}${why}`,
        }
      }),
    ]
  })
  return ['', { format: 'bold', text: 'Witnesses' }, ...lines]
}

const secondsSince = (since: Date | undefined, now: Date) =>
  since === undefined ? 0 : Math.max(0, Math.round((now.getTime() - since.getTime()) / 1_000))

function unsealedIn({ length, sealedSize, unsealedSince }: LogStatus, now: Date): string {
  if (length === sealedSize) return 'none'
  const leaves = length - sealedSize
  // A log that was restored from a backup may be shorter than what is sealed of it.
  if (leaves < 0 || unsealedSince === undefined) return `${leaves}`
  return `${leaves} for ${Math.max(0, Math.round((now.getTime() - unsealedSince.getTime()) / 1_000))} s`
}
