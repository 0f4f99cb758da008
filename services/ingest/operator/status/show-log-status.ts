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
  ]
}

function unsealedIn({ length, sealedSize, unsealedSince }: LogStatus, now: Date): string {
  if (length === sealedSize) return 'none'
  const leaves = length - sealedSize
  // A log that was restored from a backup may be shorter than what is sealed of it.
  if (leaves < 0 || unsealedSince === undefined) return `${leaves}`
  return `${leaves} for ${Math.max(0, Math.round((now.getTime() - unsealedSince.getTime()) / 1_000))} s`
}
