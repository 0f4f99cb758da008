import { randomUUID } from 'node:crypto'
import { databaseOfRun } from '@herald/test-servers'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type ClientSession, MongoClient } from 'mongodb'
import { runCommand } from './run-command.ts'

let client: MongoClient
let sessions: ClientSession[]
let sent: string[]
beforeEach(() => {
  client = new MongoClient(process.env.MONGODB_URI ?? '', { monitorCommands: true })
  sessions = []
  sent = []
  const { startSession } = client
  client.startSession = (options) => {
    const session = startSession.call(client, options)
    // The driver also starts one of its own when the client is closed.
    if (session.explicit) sessions.push(session)
    return session
  }
  client.on('commandStarted', ({ commandName }) => void sent.push(commandName))
})
afterEach(() => client.close())

const ping = () => runCommand(client.db('admin'), { ping: 1 })
const pings = (count: number) => Promise.all(Array.from({ length: count }, ping))

test('sequential commands share a session, concurrent ones do not', async () => {
  for (let n = 0; n < 3; n++) await ping()
  expect(sessions).toHaveLength(1)
  await pings(3)
  expect(sessions).toHaveLength(3)
  await pings(3)
  expect(sessions).toHaveLength(3)
})

test('keeps sixteen sessions after a burst', async () => {
  await pings(40)
  expect(sessions).toHaveLength(40)
  expect(sessions.filter(({ hasEnded }) => !hasEnded)).toHaveLength(16)
})

test('repeats a command that failed once, each time with another session, which it ends', async () => {
  await expect(runCommand(client.db('admin'), { nonsense: 1 })).rejects.toThrow('nonsense')
  expect(sent).toEqual(['nonsense', 'nonsense'])
  expect(sessions.map(({ hasEnded }) => hasEnded)).toEqual([true, true])
  await ping()
  expect(sessions).toHaveLength(3)
})

test('does not repeat a write that is made and not confirmed', async () => {
  const database = client.db(databaseOfRun())
  const insert = { insert: `run-command-${randomUUID()}`, documents: [{}], writeConcern: { w: 9, wtimeout: 1 } }
  await expect(runCommand(database, insert)).rejects.toThrow('Not enough data-bearing nodes')
  expect(sent).toEqual(['insert'])
  await database.dropCollection(insert.insert)
})

test('does not reuse sessions that ended when the client was closed', async () => {
  await ping()
  await client.close()
  await client.connect()
  await ping()
  expect(sessions).toHaveLength(2)
})
