import { randomUUID } from 'node:crypto'
import { deriveEventId } from '@herald/contracts'
import { connectTestClients } from '@herald/kafka/testing'
import { createTopics, eventually } from '@herald/test-servers'
import { afterAll, beforeAll } from '@jest/globals'
import { attributes, mentionData, structured } from '#ingest/events/records.fixture'
import { createTestIngest, type TestIngest } from '#ingest/ingest.fixture'
import { commandEnvironment, runHere } from '../command-line/herald.fixture.ts'

export const subscriber = randomUUID()
export const recipient = randomUUID()
export const other = randomUUID()
export const time = new Date(Date.now() - 60_000).toISOString()
export const source = '/where'
export const mention = 'herald.mention.created.v1'
export const ofBoth = () => mentionData({ recipientIds: [recipient, other] })
export const idOf = (id: string, at = time) =>
  deriveEventId({ subscriberId: subscriber, source, id, time: Date.parse(at) })
/** The options that name an event. */
export const event = (id: string, at = time) => ['--source', source, '--id', id, '--time', at]

/** An ingest that consumes, and the command that asks where an event is. */
export function createTestWhere(name: string) {
  const { producer } = connectTestClients()
  const announcements = `${name}-announcements-${process.pid}`
  let ingest: TestIngest
  let environment: Record<string, string>

  beforeAll(async () => {
    ingest = await createTestIngest(name, { environment: { KAFKA_NOTIFICATION_TOPIC: announcements } })
    await createTopics(ingest.brokers, { ...ingest.topics, notification: announcements })
    await ingest.migrate()
    ingest.events.start()
    environment = {
      ...commandEnvironment(ingest),
      KAFKA_NOTIFICATION_TOPIC: announcements,
      KAFKA_PRIVACY_TOPIC: ingest.topics.privacy,
    }
  }, 60_000)
  afterAll(() => ingest?.stop())

  const where = async (words: readonly string[], changes: Record<string, string> = {}) => {
    const run = await runHere(['where', '--json', '--subscriber', subscriber, ...words], {
      ...environment,
      ...changes,
    })
    const answer = run.stdout === '' ? undefined : JSON.parse(run.stdout)
    return { ...run, answer }
  }

  return {
    producer,
    ingest: () => ingest,
    environment: () => environment,
    where,
    async publish(topic: string, id: string, type: string, data: unknown, changes: Record<string, unknown> = {}) {
      const own = attributes({ id, source, type, time, subscriberid: subscriber, ...changes })
      const { value, headers } = structured(own, data)
      await producer.send({ topic, messages: [{ key: subscriber, value, headers: headers as Record<string, Buffer> }] })
    },
    /** Asks until this is the answer, and it is stored for all recipients if their number is given. */
    async eventuallyWhere(words: readonly string[], expected: string, recipients?: number) {
      let last: Awaited<ReturnType<typeof where>> | undefined
      await eventually(
        async () => {
          last = await where(words)
          const isForAll = recipients === undefined || last.answer?.stored === recipients
          return last.answer?.answer === expected && isForAll
        },
        { within: 30_000 },
      ).catch(() => {})
      return last
    },
    /** No answer may contain names, texts, e-mail addresses or states. */
    async showsNothingPrivate(id: string) {
      for (const words of [[], ['--json']]) {
        const run = await runHere(['where', '--subscriber', subscriber, ...words, ...event(id)], environment)
        const all = run.stdout + run.stderr
        if (!run.stdout.includes(idOf(id)) || /Ada|Look|ada@example|Portfolio|"new"/.test(all)) return all
      }
      return true
    },
  }
}
