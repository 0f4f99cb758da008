import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { uuidToBytes } from '@herald/contracts'
import { entryLeafData, hashLeaf, hashUser, signCheckpoint } from '@herald/sealed-log'
import { createSigningKey } from '@herald/sealed-log/testing'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Binary, type Document } from 'mongodb'
import { changeEntryAt, createTestQuery, type User } from '../query.fixture.ts'
import { createTestSealer, workOff } from '../sealed-log/test-sealer.fixture.ts'
import { verify } from './verify.ts'

// A log of 320 leaves, whose owner alters it in MongoDB. Somebody else has kept both of its checkpoints, and its key.
const [firstSize, size, erasure] = [310, 320, 300]
const erased = 3
const start = Date.parse('2026-03-01T00:00:00Z')
const hashBytes = 32
const folder = mkdtempSync(join(tmpdir(), 'herald-tampered-'))
const altered = ['change-entries', 'log-pages', 'log-nodes', 'log-checkpoints', 'erasures'] as const

let query: Awaited<ReturnType<typeof createTestQuery>>
let sealer: ReturnType<typeof createTestSealer>
let user: User
let key: string
let [older, newer] = ['', '']
/** The ids of the entries by their leaf index. */
const ids: string[] = []
const untouched = new Map<string, Document[]>()

beforeAll(async () => {
  query = await createTestQuery('tampered')
  await query.store.migrate()
  sealer = createTestSealer({ ...query, uri: process.env.MONGODB_URI ?? '' })
  await sealer.noteKey()
  user = await query.newUser({ scope: 'change-entries:read' })
  const stored = await store(0, 100)
  const personId = stored[erased]?.user.id ?? ''
  for (const from of [100, 200]) await store(from, 100)
  const time = new Date(start + 60_000)
  await query.store.erasures.accept([{ subscriberId: user.subscriberId, eventId: randomUUID(), time, personId }])
  await workOff(query.store)
  await sealer.record()
  await store(300, 9)
  older = await seal()
  await store(309, 10)
  newer = await seal()
  key = (await user.get('/change-entries/checkpoint/key')).json.data.keys[0]
  for (const { leafIndex, entry } of await lines()) if (entry) ids[leafIndex] = entry.id
  for (const name of altered) untouched.set(name, await sealer.collection(name).find().toArray())
}, 120_000)
afterEach(async () => {
  for (const [name, documents] of untouched) {
    await sealer.collection(name).deleteMany({})
    if (documents.length > 0) await sealer.collection(name).insertMany(documents as never)
  }
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await sealer?.end()
  await query?.stop()
})

async function store(from: number, count: number) {
  const entries = Array.from({ length: count }, (_, n) => changeEntryAt(start + from + n, user.subscriberId))
  await query.store.changeEntries.insertNew(entries)
  await sealer.record()
  return entries
}

async function seal(): Promise<string> {
  await sealer.seal(user.subscriberId)
  return (await user.fetch('/change-entries/checkpoint', {})).body
}

type Line = { leafIndex: number; entry?: { id: string; user: { id: string } } }

async function lines(): Promise<Line[]> {
  const { body } = await user.fetch('/change-entries/sealed', {})
  const all = body.split('\n').filter((line) => line !== '')
  return all.map((line) => JSON.parse(line)).filter((line) => 'leafIndex' in line)
}

let files = 0
function fileOf(text: string): string {
  const file = join(folder, String(files++))
  writeFileSync(file, text)
  return file
}

async function run(...args: string[]) {
  const output = new PassThrough()
  const code = await verify([...args, '--key', key], { output, notes: new PassThrough() })
  return { code, findings: String(output.read() ?? '') }
}

/** Holds what the API returns now against the newest checkpoint that was kept. */
async function verifyExport() {
  const { statusCode, body } = await user.fetch('/change-entries/sealed', {})
  expect(statusCode).toBe(200)
  return run('--export', fileOf(body), '--checkpoint', fileOf(newer))
}

const keyOf = (index: number, subscriberId = user.subscriberId) =>
  new Binary(Buffer.concat([uuidToBytes(subscriberId), uuidToBytes(ids[index] ?? '')]))
const entries = () => sealer.collection('change-entries')
const entryAt = async (index: number): Promise<Document> => (await entries().findOne({ _id: keyOf(index) })) ?? {}
const setEntry = (index: number, change: object) => entries().updateOne({ _id: keyOf(index) }, { $set: change })

const pages = () => sealer.collection('log-pages')
async function pageAt(index: number): Promise<Document> {
  const found = await pages()
    .find({ first: { $lte: index } } as never)
    .sort({ first: -1 })
    .limit(1)
    .toArray()
  return found[0] ?? {}
}
const setPage = ({ _id }: Document, change: object) => pages().updateOne({ _id }, { $set: change })

/** Changes the bytes of one leaf in a field of its page. */
async function setBytes(index: number, field: string, change: (bytes: Buffer) => Uint8Array) {
  const page = await pageAt(index)
  const bytes = Buffer.from(page[field].buffer)
  const at = (index - page.first) * hashBytes
  bytes.set(change(Buffer.from(bytes.subarray(at, at + hashBytes))), at)
  await setPage(page, { [field]: new Binary(bytes) })
}

async function bytesAt(index: number, field: string): Promise<Buffer> {
  const page = await pageAt(index)
  const at = (index - page.first) * hashBytes
  return Buffer.from(page[field].buffer.subarray(at, at + hashBytes))
}

/** Another state of an entry, with the leaf hash that follows from it. */
async function alterWithItsHash(index: number) {
  await setEntry(index, { afterState: '"altered"' })
  const shown = (await lines())[index] as Line & { entry: Parameters<typeof entryLeafData>[0]['entry'] & Line['entry'] }
  const entry = shown.entry as never as Parameters<typeof entryLeafData>[0]['entry'] & { user: never }
  const userHash = hashUser(await bytesAt(index, 'userSalts'), entry.user)
  const leafHash = hashLeaf(entryLeafData({ salt: await bytesAt(index, 'salts'), userHash, entry }))
  await setBytes(index, 'leafHashes', () => leafHash)
}

const withoutUser = {
  userId: new Binary(uuidToBytes('00000000-0000-8000-8000-000000000001'), 4),
  userName: '',
  userEmail: '',
}

test('what nobody has touched is whole, but for the user who was erased', async () => {
  const { code, findings } = await verifyExport()
  expect([code, findings]).toEqual([3, expect.stringMatching(new RegExp(`^3 ${erased} .*${ids[erased]}.*\n$`))])
})

type Case = {
  readonly name: string
  readonly alter: () => Promise<unknown>
  readonly code: number
  /** The leaves, or runs of them, that are named with this code; those of entries with their ids. */
  readonly named: readonly (number | string)[]
}

const cases: readonly Case[] = [
  { name: 'a state is changed', alter: () => setEntry(7, { afterState: '"altered"' }), code: 1, named: [7] },
  { name: 'the state before is changed', alter: () => setEntry(7, { beforeState: '"altered"' }), code: 1, named: [7] },
  { name: 'a title is changed', alter: () => setEntry(7, { entityTitle: 'Altered' }), code: 1, named: [7] },
  { name: 'an entity is changed', alter: () => setEntry(7, { entityId: 'p-2' }), code: 1, named: [7] },
  { name: 'an action is changed', alter: () => setEntry(7, { actionType: 'delete' }), code: 1, named: [7] },
  { name: 'a field is renamed', alter: () => setEntry(7, { changedField: 'altered' }), code: 1, named: [7] },
  {
    name: 'a time is moved by a second',
    alter: async () => setEntry(7, { createdAt: new Date((await entryAt(7)).createdAt.getTime() + 1_000) }),
    code: 1,
    named: [7],
  },
  { name: 'a user is renamed', alter: () => setEntry(7, { userName: 'Mallory' }), code: 1, named: [7] },
  { name: 'a user is removed, without an erasure', alter: () => setEntry(7, withoutUser), code: 1, named: [7] },
  {
    name: 'the salt of a user is dropped, without an erasure',
    alter: () => setBytes(7, 'userSalts', (salt) => salt.fill(0)),
    code: 1,
    named: [7],
  },
  {
    name: 'a salt is changed',
    alter: () => setBytes(7, 'salts', (salt) => salt.reverse()),
    code: 1,
    named: [7],
  },
  {
    name: 'an entry is changed, and its leaf hash with it',
    alter: () => alterWithItsHash(7),
    code: 1,
    named: ['-'],
  },
  { name: 'an entry is deleted', alter: () => entries().deleteOne({ _id: keyOf(7) }), code: 2, named: ['7'] },
  {
    name: 'an entry is moved to another log',
    async alter() {
      const entry = await entryAt(7)
      await entries().deleteOne({ _id: keyOf(7) })
      await entries().insertOne({ ...entry, _id: keyOf(7, randomUUID()) })
    },
    code: 2,
    named: ['7'],
  },
  {
    name: 'two entries are swapped',
    async alter() {
      const [{ _id: one, ...first }, { _id: other, ...second }] = [await entryAt(7), await entryAt(8)]
      await entries().replaceOne({ _id: one }, second)
      await entries().replaceOne({ _id: other }, first)
    },
    code: 1,
    named: [7, 8],
  },
  {
    name: 'two entries are swapped in the order',
    async alter() {
      const page = await pageAt(7)
      const ids = [...page.ids]
      const at = 7 - page.first
      ;[ids[at], ids[at + 1]] = [ids[at + 1], ids[at]]
      await setPage(page, { ids })
    },
    code: 1,
    named: ['7', '8'],
  },
  {
    name: 'an entry is inserted into the order',
    async alter() {
      const page = await pageAt(100)
      const doubled = (field: string) =>
        new Binary(Buffer.concat([page[field].buffer.subarray(0, hashBytes), page[field].buffer]))
      const fields = ['leafHashes', 'salts', 'userSalts', 'userHashes']
      const ids = [page.ids[0], ...page.ids]
      const changed = Object.fromEntries(fields.map((field) => [field, doubled(field)]))
      await setPage(page, { ids, count: page.count + 1, ...changed })
    },
    code: 1,
    named: ['-'],
  },
  {
    name: 'the end of the log is cut, with its checkpoint',
    async alter() {
      await pages().deleteMany({ first: { $gte: firstSize } } as never)
      await sealer.collection('log-checkpoints').deleteMany({ note: newer } as never)
    },
    code: 2,
    named: [`${firstSize}-${size - 1}`],
  },
  {
    name: 'the end of the log is cut, without its checkpoint',
    alter: () => pages().deleteMany({ first: { $gte: firstSize } } as never),
    code: 2,
    named: [`${firstSize}-${size - 1}`],
  },
  {
    name: 'a page in the middle is removed',
    alter: async () => pages().deleteOne({ _id: (await pageAt(100))._id }),
    code: 2,
    named: ['100-199'],
  },
  {
    name: 'an erasure names one more entry, whose user is removed',
    async alter() {
      // As LEB128 distances: from 3 to before 5.
      await setPage(await pageAt(erasure), { 'erasure.leafIndexes': new Binary(Buffer.of(3, 2)) })
      await setEntry(4, withoutUser)
      await setBytes(4, 'userSalts', (salt) => salt.fill(0))
    },
    code: 1,
    named: [String(erasure)],
  },
  {
    name: 'the time of an erasure is changed',
    alter: async () => setPage(await pageAt(erasure), { 'erasure.time': new Date(0) }),
    code: 1,
    named: [String(erasure)],
  },
  {
    name: 'an erasure is removed',
    alter: async () => pages().deleteOne({ _id: (await pageAt(erasure))._id }),
    code: 1,
    named: [erased],
  },
]

test.each(cases)('$name', async ({ alter, code, named }) => {
  await alter()
  const found = await verifyExport()
  expect(found.code).toBe(code)
  for (const index of named) {
    const words = typeof index === 'number' ? `.*${ids[index]}` : ''
    expect(found.findings).toMatch(new RegExp(`^${code} ${index} ${words}`, 'm'))
  }
})

test('an entry is changed by the owner of the key, who seals the log again', async () => {
  await alterWithItsHash(7)
  const served = await seal()
  expect(served).not.toBe(newer)
  expect(await verifyExport()).toMatchObject({ code: 1, findings: expect.stringMatching(/^1 - /m) })
  const against = ['--checkpoint', fileOf(served), '--against', fileOf(newer)]
  expect(await run(...against)).toMatchObject({ code: 1, findings: expect.stringContaining('two different logs') })
})

test('a hash of the tree is replaced by an older one', async () => {
  const consistency = async () => {
    const { body } = await user.fetch(`/change-entries/checkpoint/consistency?from=${firstSize}&to=${size}`, {})
    return run('--checkpoint', fileOf(newer), '--against', fileOf(older), '--consistency', fileOf(body))
  }
  expect(await consistency()).toEqual({ code: 0, findings: '' })
  await sealer.collection('log-nodes').updateMany({}, { $set: { hash: new Binary(Buffer.alloc(hashBytes, 7)) } })
  expect(await consistency()).toMatchObject({ code: 1, findings: expect.stringMatching(/^1 - /m) })
})

test('a checkpoint is signed by another key', async () => {
  const note = signCheckpoint({ size, root: Buffer.alloc(hashBytes) }, key.split('+')[0] ?? '', [createSigningKey()])
  await sealer.collection('log-checkpoints').updateMany({ note: newer } as never, { $set: { note } })
  const { body } = await user.fetch('/change-entries/checkpoint', {})
  const { body: all } = await user.fetch('/change-entries/sealed', {})
  expect(await run('--export', fileOf(all), '--checkpoint', fileOf(body))).toMatchObject({ code: 5 })
})
