import { expect, test } from '@jest/globals'
import kafkajs, { type LogEntry } from 'kafkajs'
import { logThrough } from './log-lines.ts'

const { logLevel } = kafkajs
const { ERROR, WARN, INFO, DEBUG } = logLevel

/** Returns the lines logged for an entry of kafkajs. */
function logged(level: number, namespace: string, message: string, more: Record<string, unknown> = {}) {
  const lines: [level: string, fields: object, message: string][] = []
  const write = (written: string) => (fields: object, text: string) => void lines.push([written, fields, text])
  const logger = { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') }
  const log = { timestamp: '', logger: 'kafkajs', message, ...more }
  logThrough(logger as never)()({ namespace, level, label: '', log } as unknown as LogEntry)
  return lines
}

const levelOf = (...line: Parameters<typeof logged>) => logged(...line)[0]?.[0]

test.each([
  ['GroupCoordinator(key: 10, version: 2)', 'The group coordinator is not available'],
  ['JoinGroup(key: 11, version: 5)', "The coordinator is loading and hence can't process requests for this group"],
  ['Heartbeat(key: 12, version: 3)', 'The group is rebalancing, so a rejoin is needed'],
])('logs an error of a normal rebalance as info: %s', (request, error) => {
  expect(levelOf(ERROR, 'Connection', `Response ${request}`, { error })).toBe('info')
})

test.each([
  ['Connection', 'Connection error: connect ECONNREFUSED 127.0.0.1:9092', 'connect ECONNREFUSED 127.0.0.1:9092'],
  ['Connection', 'Response Fetch(key: 1, version: 11)', 'This server is not the leader for that topic-partition'],
  ['BrokerPool', 'Failed to connect to seed broker, trying another broker from the list: x', undefined],
  ['Consumer', 'Restarting the consumer in 5000ms', undefined],
  ['Runner', 'The coordinator is not aware of this member, re-joining the group', 'x'],
])('logs a retried error as a warning: %s, %s', (namespace, message, error) => {
  expect(levelOf(ERROR, namespace, message, { error })).toBe('warn')
})

test.each([
  ['Consumer', 'Crash: KafkaJSNumberOfRetriesExceeded: x'],
  ['ConsumerGroup', 'Offset out of range, resetting to default offset'],
  ['SASLPlainAuthenticator', 'SASL PLAIN authentication failed: x'],
])('logs any other error as an error: %s, %s', (namespace, message) => {
  expect(levelOf(ERROR, namespace, message)).toBe('error')
})

test('keeps other levels', () => {
  const found = [WARN, INFO, DEBUG].map((level) => levelOf(level, 'Consumer', 'x'))
  expect(found).toEqual(['warn', 'info', 'debug'])
})

test('logs only fields that cannot contain a record', () => {
  const more = { topic: 't', partition: 1, error: new Error('reason'), payload: 'secret', stack: 'secret' }
  const lines = logged(ERROR, 'Consumer', 'It failed', more)
  const fields = { namespace: 'Consumer', topic: 't', partition: 1, reason: 'reason' }
  expect(lines).toEqual([['error', expect.objectContaining(fields), 'It failed']])
  expect(JSON.stringify(lines)).not.toContain('secret')
})
