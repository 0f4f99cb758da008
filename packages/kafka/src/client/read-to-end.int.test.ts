import { readFileSync } from 'node:fs'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { brokers, connectTestClients, createTestKafka } from '../testing.fixture.ts'
import { temporaryGroupPrefix } from './read-to-end.ts'

const { admin, producer } = connectTestClients()
const runbooks = readFileSync(new URL('../../../../deploy/runbooks.md', import.meta.url), 'utf8')

test('reads in a temporary group with the documented prefix, and deletes it', async () => {
  expect(runbooks).toContain(`--group ${temporaryGroupPrefix} --resource-pattern-type prefixed`)
  const topics = await createTopics(brokers, topicsWithSuffix(`read-to-end-${process.pid}`))
  await producer.send({ topic: topics.mention, messages: [{ value: 'x' }] })
  const groups = async () => (await admin.listGroups()).groups.map(({ groupId }) => groupId)
  const before = new Set(await groups())
  let during: string[] = []
  const read = () =>
    createTestKafka().readToEnd(topics.mention, async () => {
      during = await groups()
    })
  // A new broker has no coordinator yet.
  await eventually(() => read().then(() => true))
  const own = during.filter((group) => !before.has(group) && group.startsWith(temporaryGroupPrefix))
  expect(own).toHaveLength(1)
  expect(await groups()).not.toContain(own[0])
}, 300_000)
