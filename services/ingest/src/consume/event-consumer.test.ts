import type { GroupMember } from '@herald/kafka'
import { quietLogger } from '@herald/kafka/testing'
import { createDeadlines, systemClock } from '@herald/runtime'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { quickTimes } from '../settings/times.fixture.ts'
import { createEventConsumer } from './event-consumer.ts'

const described = { maxBatchBytes: 1, cleanupPolicy: 'delete', retentionMs: -1, retentionBytes: -1 }

const never = () => new Promise<never>(() => {})

test('gives up a broker that does not answer before a member has begun, and tries again', async () => {
  const calls: string[] = []
  const consumer = createEventConsumer({
    kafka: {
      async describeTopics(topics) {
        calls.push('describe')
        if (calls.length === 1) return never()
        return new Map(topics.map((topic) => [topic, described]))
      },
      createMember(): GroupMember {
        calls.push('create')
        const isFirst = calls.filter((call) => call === 'create').length === 1
        return {
          listen: () => {},
          run: isFirst ? never : async () => void calls.push('run'),
          commit: async () => {},
          close: async () => void calls.push('close'),
        }
      },
    },
    groupId: 'g',
    topics: ['mentions'],
    deadLetterTopic: 'dead-letters',
    clock: systemClock,
    logger: quietLogger,
    deadlines: createDeadlines(systemClock),
    beginMs: 100,
    ...quickTimes,
    kindOf: () => 'mention',
    handle: async () => {},
    onChunk: () => {},
    onHeldBack: () => {},
  })
  consumer.start()
  await eventually(() => calls.includes('run'), { within: 20_000 })
  expect(calls).toEqual(['describe', 'describe', 'create', 'close', 'describe', 'create', 'run'])
  await consumer.stop()
  expect(calls.at(-1)).toBe('close')
})

test('stops while a member has not begun', async () => {
  let isBegun = false
  const member: GroupMember = {
    listen: () => {},
    async run() {
      isBegun = true
      await never()
    },
    commit: async () => {},
    close: async () => {},
  }
  const consumer = createEventConsumer({
    kafka: { describeTopics: async () => new Map([['t', described]]), createMember: () => member },
    groupId: 'g',
    topics: ['t'],
    deadLetterTopic: 't',
    clock: systemClock,
    logger: quietLogger,
    deadlines: createDeadlines(systemClock),
    ...quickTimes,
    kindOf: () => 'mention',
    handle: async () => {},
    onChunk: () => {},
    onHeldBack: () => {},
  })
  consumer.start()
  await eventually(() => isBegun)
  await consumer.stop()
})
