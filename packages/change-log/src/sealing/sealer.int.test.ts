import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { toIndexKey } from '@herald/mongo'
import { keyNameOf, readSigningKey, signCheckpoint } from '@herald/sealed-log'
import { eventually } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import type { LogPageDocument } from '../documents/log-page-document.ts'
import { createGrownLogs } from '../recorded-order/grown-logs.ts'
import { createEmptyLog } from '../test-log.fixture.ts'
import { createSealing } from './sealing.ts'

const { store, collections, migrate, close } = createEmptyLog()
beforeAll(migrate)
afterAll(close)

const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const read = readSigningKey(pem)
if (!read.ok) throw new Error(read.detail)
const { key } = read

/** A page of so many leaves at the end of a log. */
async function append(subscriberId: string, first: number, count: number) {
  const hashes = Buffer.alloc(32 * count, first + 1)
  const page = { _id: toIndexKey(subscriberId, first), v: 1, first, count, leafHashes: new Binary(hashes) }
  const others = { recordedAt: new Date(), ids: [], salts: new Binary(), userSalts: new Binary() }
  await collections.logPages.insertOne({ ...page, ...others } as unknown as LogPageDocument)
}

const started: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of started.splice(0)) await stop()
})

/** Seals in this process until it is stopped, or the test ends. */
function startSealer(intervalMs = 200) {
  const grownLogs = createGrownLogs()
  const events: string[] = []
  const sealer = createSealing({ ...collections, now: store.now, grownLogs }).createSealer({
    intervalMs,
    sign: (id, checkpoint) => signCheckpoint(checkpoint, keyNameOf('log.example.com', id), [key]),
    listener: {
      onSealed: (id, { size, leaves }) => events.push(`${id} sealed ${leaves} up to ${size}`),
      onConflict: (id, reason) => events.push(`${id} stopped: ${reason}`),
      onResolved: (id) => events.push(`${id} resolved`),
      onFailure: (error, id) => events.push(`${id} failed: ${error}`),
    },
  })
  let isHeld = true
  const working = sealer.work(async () => isHeld)
  const stop = async () => {
    isHeld = false
    await working
  }
  started.push(stop)
  return { events, grownLogs, sealer, stop }
}

const sealedUpTo = (subscriberId: string, size: number) =>
  eventually(async () => {
    const found = await collections.logCheckpoints.findOne({ _id: toIndexKey(subscriberId, size) })
    return found?.note !== undefined
  })

test('finds what was there before, and is told what grows', async () => {
  const [before, told, silent] = [randomUUID(), randomUUID(), randomUUID()]
  await append(before, 0, 3)
  const { grownLogs, sealer, events } = startSealer()
  await sealedUpTo(before, 3)
  await eventually(() => sealer.lagSeconds() === 0)
  await append(silent, 0, 1)
  await append(told, 0, 2)
  grownLogs.report([told])
  await sealedUpTo(told, 2)
  await append(told, 2, 5)
  grownLogs.report([told])
  await sealedUpTo(told, 7)
  await eventually(() => events.length === 3)
  expect(events).toEqual([`${before} sealed 3 up to 3`, `${told} sealed 2 up to 2`, `${told} sealed 5 up to 7`])
  // When a sequencer begins, another one may have appended.
  grownLogs.reportAny()
  await sealedUpTo(silent, 1)
})

test('a log that cannot be read is late alone, and is sealed when it can be read', async () => {
  const [broken, whole] = [randomUUID(), randomUUID()]
  await append(broken, 0, 3)
  await append(broken, 5, 3)
  await append(whole, 0, 3)
  const { sealer, events, grownLogs } = startSealer()
  await sealedUpTo(whole, 3)
  await eventually(() => events.some((event) => event.startsWith(`${broken} failed`)))
  await append(whole, 3, 3)
  grownLogs.report([whole])
  await sealedUpTo(whole, 6)
  await eventually(() => (sealer.lagSeconds() ?? 0) > 0)
  await append(broken, 3, 2)
  await sealedUpTo(broken, 8)
  await eventually(() => sealer.lagSeconds() === 0)
})

test('a log that was changed stops alone, also in a process that begins later, until it is as it was', async () => {
  const [changed, whole] = [randomUUID(), randomUUID()]
  for (const id of [changed, whole]) await append(id, 0, 3)
  const first = startSealer()
  for (const id of [changed, whole]) await sealedUpTo(id, 3)
  const page = await collections.logPages.findOne({ _id: toIndexKey(changed, 0) })
  const set = (leafHashes: Binary | undefined) =>
    collections.logPages.updateOne({ _id: toIndexKey(changed, 0) }, { $set: { leafHashes } } as never)
  await set(new Binary(Buffer.alloc(96, 9)))
  for (const id of [changed, whole]) await append(id, 3, 1)
  first.grownLogs.report([changed, whole])
  await sealedUpTo(whole, 4)
  const reason = 'The first 3 leaves do not give the root of the checkpoint of that size'
  await eventually(async () => (await store.sealing.conflicts.find(changed))?.reason === reason)
  await first.stop()
  expect(first.events.filter((event) => event.startsWith(changed))).toEqual([
    `${changed} sealed 3 up to 3`,
    `${changed} stopped: ${reason}`,
  ])
  const second = startSealer()
  await eventually(() => second.events.includes(`${changed} stopped: ${reason}`))
  expect(await store.sealing.conflicts.count()).toBe(1)
  await eventually(() => second.sealer.lagSeconds() === 0)
  await set(page?.leafHashes)
  await sealedUpTo(changed, 4)
  await eventually(async () => (await store.sealing.conflicts.count()) === 0)
  await eventually(() => second.events.includes(`${changed} resolved`))
})

test('a process without the lease seals nothing, and knows nothing of what is late', async () => {
  const sealer = store.sealing.createSealer({ intervalMs: 0, sign: () => '', listener: {} as never })
  await append(randomUUID(), 0, 1)
  await sealer.work(async () => false)
  expect(sealer.lagSeconds()).toBeUndefined()
})
