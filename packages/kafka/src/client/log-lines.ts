import type { Logger } from '@herald/runtime'
import kafkajs, { type LogEntry } from 'kafkajs'

const { logLevel } = kafkajs

type Level = 'error' | 'warn' | 'info' | 'debug'

const levels = new Map<number, Level>([
  [logLevel.ERROR, 'error'],
  [logLevel.WARN, 'warn'],
  [logLevel.INFO, 'info'],
  [logLevel.DEBUG, 'debug'],
])

/** These log every error response. The caller gets the error as well, and retries or logs it. */
const connectionNamespaces = new Set(['Connection', 'BrokerPool'])
/** Errors from which kafkajs recovers without help. */
const recovered = /^(Restarting the consumer in |The coordinator is not aware of this member, re-joining)/
/** Responses that are normal at the first start of a group and whenever a member joins or leaves. */
const expected = /^(The group coordinator is not available|The coordinator is loading|The group is rebalancing)/

/** Logs kafkajs's entries with pino. Only selected fields are logged, since a stack or payload may contain a record. */
export function logThrough(logger: Pick<Logger, Level>) {
  return () =>
    (entry: LogEntry): void => {
      const { namespace, log } = entry
      const { message, topic, partition, offset, groupId, memberId, error, broker } = log
      const reason = error instanceof Error ? error.message : error
      const fields = { namespace, topic, partition, offset, groupId, memberId, broker, reason }
      logger[levelOf(entry, reason)](fields, message)
    }
}

function levelOf({ level, namespace, log }: LogEntry, reason: unknown): Level {
  if (level !== logLevel.ERROR) return levels.get(level) ?? 'debug'
  if (connectionNamespaces.has(namespace)) return expected.test(String(reason)) ? 'info' : 'warn'
  return recovered.test(log.message) ? 'warn' : 'error'
}
