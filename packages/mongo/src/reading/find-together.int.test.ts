import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { createTestDatabase } from '../test-database.fixture.ts'
import { findTogether } from './find-together.ts'

const { uri, name, subscriberId, migrate, close } = createTestDatabase()
const client = new MongoClient(uri, { monitorCommands: true })
const commands: string[] = []
client.on('commandStarted', ({ commandName }) => commands.push(commandName))
const collection = (kind: string) => client.db(name).collection<Document>(`${kind}-${subscriberId}`)
const [one, two, none] = [collection('one'), collection('two'), collection('none')]

beforeAll(async () => {
  await migrate()
  await one.insertMany(Array.from({ length: 5 }, (_, n) => ({ n, large: 'x'.repeat(1_000) })))
  await two.insertMany(Array.from({ length: 5 }, (_, n) => ({ n })))
})
afterAll(async () => {
  await close()
  await client.close()
})

test('reads by one command what is asked for at the same time: each by its own filter, fields and limit', async () => {
  commands.length = 0
  const projection = { _id: 0, n: 1 }
  const found = await findTogether(async (find) => {
    const together = await Promise.all([
      find(one, { filter: { n: { $gte: 1 } }, projection, limit: 2 }),
      find(two, { projection, limit: 9 }),
      find(none, { projection, limit: 1 }),
    ])
    return [...together, await find(one, { filter: { n: 4 }, projection, limit: 1 })]
  })
  const numbers = found.map((documents) => documents.map(({ n, large }) => (large === undefined ? n : large)))
  expect(numbers).toEqual([[1, 2], [0, 1, 2, 3, 4], [], [4]])
  expect(commands).toEqual(['aggregate', 'find'])
})

test('each fails if the command fails', async () => {
  const asked = findTogether((find) =>
    Promise.allSettled([
      find(one, { projection: { n: 1 }, limit: 1 }),
      find(two, { filter: { $nonsense: 1 }, projection: { n: 1 }, limit: 1 }),
    ]),
  )
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
