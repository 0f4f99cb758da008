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

/** They tell each answer that is an error; who asked is told, too, and asks again or says what became of it. */
const messengers = new Set(['Connection', 'BrokerPool'])
/** What kafkajs itself mends, though it calls it an error. */
const mended = /^(Restarting the consumer in |The coordinator is not aware of this member, re-joining)/
/** Answers that belong to the life of every group: at its first start, and whenever a member comes or goes. */
const usual = /^(The group coordinator is not available|The coordinator is loading|The group is rebalancing)/

/** kafkajs's lines through pino. Its fields are picked: an error's stack or a payload may quote a record. */
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
  if (messengers.has(namespace)) return usual.test(String(reason)) ? 'info' : 'warn'
  return mended.test(log.message) ? 'warn' : 'error'
}
