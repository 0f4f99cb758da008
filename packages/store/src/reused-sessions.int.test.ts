import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type ClientSession, MongoClient } from 'mongodb'
import { withReusedSession } from './reused-sessions.ts'

let client: MongoClient
beforeEach(() => {
  client = new MongoClient(process.env.MONGODB_URI ?? '')
})
afterEach(() => client.close())

const ping = (session: ClientSession) => client.db('admin').command({ ping: 1 }, { session })
/** Asks, and tells with which session. */
const ask = () =>
  withReusedSession(client, async (session) => {
    await ping(session)
    return session
  })

test('one after another they take the same session, at once each its own', async () => {
  const first = await ask()
  expect(await ask()).toBe(first)
  const [one, two, three] = await Promise.all([ask(), ask(), ask()])
  expect(new Set([one, two, three]).size).toBe(3)
  expect([one, two, three]).toContain(await ask())
})

test('after a rush sixteen are kept', async () => {
  const sessions = await Promise.all(Array.from({ length: 40 }, ask))
  expect(new Set(sessions).size).toBe(40)
  expect(sessions.filter(({ hasEnded }) => !hasEnded)).toHaveLength(16)
})

test('after a failure the session ends, and the next one has another', async () => {
  let failed: ClientSession | undefined
  const failing = withReusedSession(client, async (session) => {
    failed = session
    await ping(session)
    throw new Error('away')
  })
  await expect(failing).rejects.toThrow('away')
  expect(failed?.hasEnded).toBe(true)
  expect(await ask()).not.toBe(failed)
})

test('sessions that ended with their client are not used when it connects again', async () => {
  const first = await ask()
  await client.close()
  await client.connect()
  expect(await ask()).not.toBe(first)
})
