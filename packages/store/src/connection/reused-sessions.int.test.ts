import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type ClientSession, MongoClient } from 'mongodb'
import { withReusedSession } from './reused-sessions.ts'

let client: MongoClient
beforeEach(() => {
  client = new MongoClient(process.env.MONGODB_URI ?? '')
})
afterEach(() => client.close())

const ping = (session: ClientSession) => client.db('admin').command({ ping: 1 }, { session })
/** Sends a command and returns its session. */
const sendPing = () =>
  withReusedSession(client, async (session) => {
    await ping(session)
    return session
  })

test('sequential calls share a session, concurrent ones do not', async () => {
  const first = await sendPing()
  expect(await sendPing()).toBe(first)
  const [one, two, three] = await Promise.all([sendPing(), sendPing(), sendPing()])
  expect(new Set([one, two, three]).size).toBe(3)
  expect([one, two, three]).toContain(await sendPing())
})

test('keeps sixteen sessions after a burst', async () => {
  const sessions = await Promise.all(Array.from({ length: 40 }, sendPing))
  expect(new Set(sessions).size).toBe(40)
  expect(sessions.filter(({ hasEnded }) => !hasEnded)).toHaveLength(16)
})

test('ends the session after a failure, and uses another one next', async () => {
  let failed: ClientSession | undefined
  const failing = withReusedSession(client, async (session) => {
    failed = session
    await ping(session)
    throw new Error('away')
  })
  await expect(failing).rejects.toThrow('away')
  expect(failed?.hasEnded).toBe(true)
  expect(await sendPing()).not.toBe(failed)
})

test('does not reuse sessions that ended when the client was closed', async () => {
  const first = await sendPing()
  await client.close()
  await client.connect()
  expect(await sendPing()).not.toBe(first)
})
