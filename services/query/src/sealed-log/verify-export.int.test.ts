import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { uuidToBytes } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import { changeEntryAt, createTestQuery, type User } from '../query.fixture.ts'
import { verify } from '../verification/verify.ts'
import { createTestSealer, workOff } from './test-sealer.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'herald-verify-'))
const start = Date.parse('2026-03-01T00:00:00Z')
let query: Awaited<ReturnType<typeof createTestQuery>>
let sealer: ReturnType<typeof createTestSealer>

beforeAll(async () => {
  query = await createTestQuery('verify-export')
  await query.store.migrate()
  sealer = createTestSealer({ ...query, uri: process.env.MONGODB_URI ?? '' })
  await sealer.noteKey()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await sealer?.end()
  await query?.stop()
})

async function newLog(count: number) {
  const user = await query.newUser({ scope: 'change-entries:read' })
  const entries = Array.from({ length: count }, (_, n) => changeEntryAt(start + n, user.subscriberId))
  await query.store.changeEntries.insertNew(entries)
  await seal(user)
  return { user, entries }
}

async function seal(user: User): Promise<void> {
  await sealer.record()
  await sealer.seal(user.subscriberId)
}

/** Runs the verifier on what the API returns now. */
async function verifyLog(user: User, ...others: string[]) {
  const files = { export: join(folder, 'sealed'), checkpoint: join(folder, 'checkpoint') }
  writeFileSync(files.export, (await user.fetch('/change-entries/sealed', {})).body)
  writeFileSync(files.checkpoint, (await user.fetch('/change-entries/checkpoint', {})).body)
  const [key] = (await user.get('/change-entries/checkpoint/key')).json.data.keys
  const output = new PassThrough()
  const args = ['--export', files.export, '--checkpoint', files.checkpoint, '--key', key, ...others]
  const code = await verify(args, { output, notes: new PassThrough() })
  return [code, String(output.read() ?? '')] as const
}

const keyOf = (user: User, id: string) =>
  new Binary(Buffer.concat([uuidToBytes(user.subscriberId), uuidToBytes(id)])) as never

test('a log as it was recorded is whole, and its tail is not sealed until it is', async () => {
  const { user } = await newLog(1_200)
  expect(await verifyLog(user)).toEqual([0, ''])
  await query.store.changeEntries.insertNew([changeEntryAt(start + 5_000, user.subscriberId)])
  await sealer.record()
  expect(await verifyLog(user)).toEqual([4, expect.stringMatching(/^4 1200 /)])
  await sealer.seal(user.subscriberId)
  expect(await verifyLog(user)).toEqual([0, ''])
})

test('entries that expired are missing, unless the log has a retention', async () => {
  const { user, entries } = await newLog(10)
  for (const at of [2, 3, 4]) {
    await sealer.collection('change-entries').deleteOne({ _id: keyOf(user, entries[at]?.id ?? '') })
  }
  expect(await verifyLog(user)).toEqual([2, expect.stringMatching(/^2 2-4 /)])
  expect(await verifyLog(user, '--retention-days', '30')).toEqual([0, ''])
})

test('a user who was erased is found as such, also with entries that expired and a replay', async () => {
  const { user, entries } = await newLog(10)
  const [first, , third] = entries
  const accept = (personId: string) =>
    query.store.erasures.accept([
      { subscriberId: user.subscriberId, eventId: randomUUID(), time: new Date(start + 60_000), personId },
    ])
  await accept(first?.user.id ?? '')
  await accept(third?.user.id ?? '')
  await workOff(query.store)
  await sealer.record()
  expect((await verifyLog(user))[0]).toBe(4)
  await sealer.seal(user.subscriberId)
  const [code, findings] = await verifyLog(user)
  expect([code, findings.split('\n').map((line) => line.slice(0, 4))]).toEqual([3, ['3 0 ', '3 2 ', '']])
  const late = { ...changeEntryAt(start + 20, user.subscriberId), user: first?.user as never }
  await query.store.changeEntries.insertNew([...entries, late])
  await seal(user)
  expect((await verifyLog(user))[0]).toBe(3)
  await sealer.collection('change-entries').deleteOne({ _id: keyOf(user, third?.id ?? '') })
  expect((await verifyLog(user, '--retention-days', '30'))[1].split('\n')).toHaveLength(2)
})
