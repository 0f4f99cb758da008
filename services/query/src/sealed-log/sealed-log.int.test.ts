import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { hashLeaf, verifyConsistency, verifyInclusion } from '@herald/sealed-log'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import { changeEntryAt, createTestQuery, type User } from '../query.fixture.ts'
import { createTestSealer, workOff } from './test-sealer.fixture.ts'

const scope = 'change-entries:read'
const start = Date.parse('2026-03-01T00:00:00Z')
let query: Awaited<ReturnType<typeof createTestQuery>>
let sealer: ReturnType<typeof createTestSealer>

beforeAll(async () => {
  // A user's share of them is one at a time.
  query = await createTestQuery('sealed-log', { MAX_EXPORTS: '10' })
  await query.store.migrate()
  sealer = createTestSealer({ ...query, uri: process.env.MONGODB_URI ?? '' })
})
afterAll(async () => {
  await sealer?.end()
  await query?.stop()
})

/** A user of a new subscriber with a log of so many entries, sealed or not. */
async function newLog(count: number, { isSealed = true } = {}) {
  const user = await query.newUser({ scope })
  const entries = Array.from({ length: count }, (_, n) => changeEntryAt(start + n, user.subscriberId))
  await query.store.changeEntries.insertNew(entries)
  await sealer.record()
  if (isSealed) await sealer.seal(user.subscriberId)
  return { user, entries, ids: entries.map(({ id }) => id) }
}

const pathsOf = (id: string) => [
  '/change-entries/checkpoint',
  '/change-entries/checkpoint/key',
  '/change-entries/checkpoint/consistency?from=1',
  `/change-entries/${id}/proof`,
  '/change-entries/sealed',
]

/** Status and code of a response. */
async function answer(user: User, path: string) {
  const { statusCode, body } = await user.fetch(path, {})
  return [statusCode, statusCode === 200 ? undefined : JSON.parse(body).code]
}

const bytes = (text: string) => Buffer.from(text, 'base64')
const linesOf = (body: string) =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('sealing is off until a sealer with a key has run', async () => {
  const { user, ids } = await newLog(3, { isSealed: false })
  for (const path of [
    ...pathsOf(ids[0] ?? ''),
    `/change-entries/${randomUUID()}/proof`,
    '/change-entries/sealed?from=9',
  ])
    expect([path, ...(await answer(user, path))]).toEqual([path, 404, 'sealing_off'])
  const { statusCode } = await query.http.inject({
    method: 'HEAD',
    url: '/change-entries/sealed',
    headers: { authorization: 'Bearer x' },
  })
  expect(statusCode).toBe(401)
  await sealer.noteKey()
  const [checkpoint, key, consistency, proof, sealed] = pathsOf(ids[0] ?? '')
  expect(await answer(user, `${checkpoint}`)).toEqual([404, 'no_such_checkpoint'])
  expect(await answer(user, `${key}`)).toEqual([200, undefined])
  expect(await answer(user, `${consistency}`)).toEqual([400, 'invalid_size'])
  expect(await answer(user, `${proof}`)).toEqual([409, 'not_sealed_yet'])
  expect(await answer(user, `${sealed}`)).toEqual([404, 'no_such_checkpoint'])
})

test('a checkpoint is a note, as text or in JSON', async () => {
  const { user } = await newLog(3)
  const text = await user.fetch('/change-entries/checkpoint', {})
  expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text.body).toMatch(new RegExp(`^log\\.example\\.com/herald/${user.subscriberId}\\n3\\n[^\\n]{44}\\n\\n— `))
  expect(sealer.open(user.subscriberId, text.body).size).toBe(3)
  for (const accept of ['*/*', 'text/plain', 'text/*, application/json;q=0.5', 'image/png'])
    expect((await user.fetch('/change-entries/checkpoint', { accept })).body).toBe(text.body)
  const json = await user.fetch('/change-entries/checkpoint', { accept: 'application/json' })
  expect(JSON.parse(json.body)).toEqual({ data: { checkpoint: text.body } })
  expect(json.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache',
    vary: 'Accept, Authorization',
  })
  const etag = String(text.headers.etag)
  expect((await user.fetch('/change-entries/checkpoint', { 'if-none-match': etag })).statusCode).toBe(304)
  expect((await user.fetch('/change-entries/checkpoint', { 'if-none-match': String(json.headers.etag) })).body).toBe(
    text.body,
  )
})

test('keys are in an envelope', async () => {
  const { user } = await newLog(1)
  const { json } = await user.get('/change-entries/checkpoint/key')
  expect(json).toEqual({ data: { keys: [sealer.verifierKeyOf(user.subscriberId)] } })
})

test('a proof gives the root of the checkpoint in it', async () => {
  const { user, ids } = await newLog(300)
  for (const [at, id] of ids.entries()) {
    if (at % 37 !== 0) continue
    const { status, json } = await user.get(`/change-entries/${id.toUpperCase()}/proof`)
    expect(status).toBe(200)
    const { leafIndex, treeSize, hashes, checkpoint, leafHash, ...others } = json.data
    expect(others).toEqual({ salt: expect.any(String), userSalt: expect.any(String), userHash: expect.any(String) })
    const { size, root } = sealer.open(user.subscriberId, checkpoint)
    expect([leafIndex, treeSize, size]).toEqual([at, 300, 300])
    const proof = { index: leafIndex, leafHash: bytes(leafHash), size, root, hashes: hashes.map(bytes) }
    expect(verifyInclusion(proof)).toBe(true)
  }
})

/** Reads a C2SP tlog-proof as the document of its format says, and throws unless its leaf is in its checkpoint. */
function verifyText(text: string, subscriberId: string) {
  const [, extra = '', index, hashes = '', note = ''] =
    /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex (0|[1-9]\d*)\n((?:\S{44}\n)*)\n(.+)$/s.exec(text) ?? []
  const checkpoint = sealer.open(subscriberId, note)
  const leafHash = hashLeaf(bytes(extra))
  const proof = { index: Number(index), leafHash, ...checkpoint, hashes: hashes.split('\n').slice(0, -1).map(bytes) }
  if (!verifyInclusion(proof)) throw new Error('The leaf is not in the checkpoint')
  return { index: Number(index), data: bytes(extra) }
}

test('a proof as text is verified from the key of the log only, and has the entry in it', async () => {
  const { user, ids } = await newLog(300)
  for (const [at, id] of ids.entries()) {
    if (at % 61 !== 0) continue
    const text = await user.fetch(`/change-entries/${id}/proof`, { accept: 'text/plain' })
    expect(text.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      vary: expect.stringContaining('Accept'),
    })
    const { index, data } = verifyText(text.body, user.subscriberId)
    expect([index, data[0]]).toEqual([at, 1])
    expect(JSON.parse(data.subarray(33).toString())).toMatchObject({ id, entityType: 'portfolio' })
  }
  const path = `/change-entries/${ids[0]}/proof`
  for (const accept of ['*/*', 'application/json', 'application/*, text/plain;q=0.5', 'image/png']) {
    const json = await user.fetch(path, { accept })
    expect(JSON.parse(json.body)).toMatchObject({ data: { leafIndex: 0 } })
    expect(json.headers.vary).toContain('Accept')
  }
})

test('of an entry that was erased or has expired there is no proof as text', async () => {
  const { user, entries, ids } = await newLog(3)
  const [erased, expired, whole] = ids
  const text = async (id = '') => {
    const { statusCode, body } = await user.fetch(`/change-entries/${id}/proof`, { accept: 'text/plain' })
    return [statusCode, statusCode === 200 ? undefined : JSON.parse(body).code]
  }
  expect(await text(expired)).toEqual([200, undefined])
  const key = Buffer.from(`${user.subscriberId}${expired}`.replaceAll('-', ''), 'hex')
  await sealer.collection('change-entries').deleteOne({ _id: new Binary(key) })
  expect(await text(expired)).toEqual([404, 'leaf_unavailable'])
  expect(await answer(user, `/change-entries/${expired}/proof`)).toEqual([404, 'not_found'])
  expect(await text(randomUUID())).toEqual([404, 'not_found'])
  const personId = entries[0]?.user.id ?? ''
  const time = new Date((entries[0]?.createdAt.getTime() ?? 0) + 1)
  await query.store.erasures.accept([{ subscriberId: user.subscriberId, eventId: randomUUID(), time, personId }])
  await workOff(query.store)
  await sealer.record()
  expect(await text(erased)).toEqual([404, 'leaf_unavailable'])
  expect((await text(whole))[0]).toBe(entries[2]?.user.id === personId ? 404 : 200)
})

test('every log continues the empty one', async () => {
  const { user } = await newLog(5)
  const { json } = await user.get('/change-entries/checkpoint/consistency?from=0')
  expect(json).toMatchObject({ data: { from: 0, to: 5, hashes: [] } })
  const path = '/change-entries/checkpoint/consistency'
  expect(await answer(user, `${path}?from=0&to=0`)).toEqual([404, 'no_such_checkpoint'])
  expect(await answer(user, `${path}?from=-1`)).toEqual([400, 'invalid_size'])
})

test('the log of a size continues that of a smaller one', async () => {
  const { user } = await newLog(5)
  const first = sealer.open(user.subscriberId, (await user.fetch('/change-entries/checkpoint', {})).body)
  await query.store.changeEntries.insertNew([changeEntryAt(start + 9, user.subscriberId)])
  await sealer.record()
  await sealer.seal(user.subscriberId)
  const path = '/change-entries/checkpoint/consistency'
  const { json } = await user.get(`${path}?from=5`)
  const { from, to, hashes, checkpoint } = json.data
  const { size, root } = sealer.open(user.subscriberId, checkpoint)
  expect([from, to, size]).toEqual([5, 6, 6])
  expect(verifyConsistency({ from, fromRoot: first.root, to, toRoot: root, hashes: hashes.map(bytes) })).toBe(true)
  const older = (await user.get(`${path}?from=2&to=5`)).json.data
  expect([older.to, sealer.open(user.subscriberId, older.checkpoint).size]).toEqual([5, 5])
  expect(await answer(user, `${path}?from=1&to=4`)).toEqual([404, 'no_such_checkpoint'])
  for (const sizes of ['from=-1', 'from=7', 'from=3&to=2', 'from=1&to=7', 'from=1&to=999999999999999999'])
    expect([sizes, ...(await answer(user, `${path}?${sizes}`))]).toEqual([sizes, 400, 'invalid_size'])
  for (const sizes of ['', 'from=x', 'from=1.0', 'from=1&to=', 'from=1&other=2', 'from=01'])
    expect([sizes, ...(await answer(user, `${path}?${sizes}`))]).toEqual([sizes, 400, 'validation_failed'])
})

test('an entry in no checkpoint is not sealed yet, and others are not found', async () => {
  const { user, ids } = await newLog(2)
  const added = changeEntryAt(start + 9, user.subscriberId)
  await query.store.changeEntries.insertNew([added])
  expect(await answer(user, `/change-entries/${added.id}/proof`)).toEqual([409, 'not_sealed_yet'])
  await sealer.record()
  expect(await answer(user, `/change-entries/${added.id}/proof`)).toEqual([409, 'not_sealed_yet'])
  const unknown = randomUUID()
  const missing = (await user.get(`/change-entries/${unknown}/proof`)).json
  expect([missing.status, missing.code]).toEqual([404, 'not_found'])
  const elsewhere = await newLog(1)
  expect({ ...(await user.get(`/change-entries/${elsewhere.ids[0]}/proof`)).json, instance: '' }).toEqual({
    ...missing,
    instance: '',
  })
  await sealer.collection('change-entries').deleteOne({ entityTitle: 'gone' } as never)
  expect(await answer(user, '/change-entries/x/proof')).toEqual([400, 'validation_failed'])
  expect(await answer(user, `/change-entries/${ids[0]}/proof?limit=1`)).toEqual([400, 'validation_failed'])
})

test('an export has the newest checkpoint and then the leaves, also compressed', async () => {
  const { user, entries } = await newLog(4)
  await query.store.changeEntries.insertNew([changeEntryAt(start + 9, user.subscriberId)])
  await sealer.record()
  const { headers, body } = await user.fetch('/change-entries/sealed', {})
  expect(headers).toMatchObject({ 'content-type': 'application/x-ndjson; charset=utf-8', vary: 'Accept-Encoding' })
  const [{ checkpoint }, ...leaves] = linesOf(body)
  expect(sealer.open(user.subscriberId, checkpoint).size).toBe(4)
  expect(leaves.map(({ leafIndex }) => leafIndex)).toEqual([0, 1, 2, 3, 4])
  const { json } = await user.get('/change-entries?limit=100')
  expect(leaves.slice(0, 4).map(({ entry }) => entry)).toEqual(json.data.changeEntries.toReversed().slice(0, 4))
  expect(leaves[0].entry.id).toBe(entries[0]?.id)
  expect(Object.keys(leaves[0])).toEqual(['leafIndex', 'leafHash', 'salt', 'userSalt', 'entry'])
  const { rawPayload, headers: compressed } = await user.fetch('/change-entries/sealed', { 'accept-encoding': 'gzip' })
  expect([compressed['content-encoding'], gunzipSync(rawPayload).toString()]).toEqual(['gzip', body])
  const range = await user.fetch('/change-entries/sealed?from=1&to=3', {})
  expect(range.body).toBe([0, 2, 3].map((line) => `${body.split('\n')[line]}\n`).join(''))
  for (const parameters of ['from=3&to=2', 'to=6', 'from=6', 'from=-1'])
    expect(await answer(user, `/change-entries/sealed?${parameters}`)).toEqual([400, 'invalid_size'])
  expect(await answer(user, '/change-entries/sealed?entityId=p-1')).toEqual([400, 'validation_failed'])
})

test('exports beyond the share of a user are refused, and those of others are not', async () => {
  const [{ user }, { user: other }] = [await newLog(3), await newLog(3)]
  const answers = await Promise.all([user, user, other].map((one) => one.fetch('/change-entries/sealed', {})))
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 200, 429])
  const refused = answers.slice(0, 2).find(({ statusCode }) => statusCode === 429)
  expect(refused?.headers['retry-after']).toBe('5')
  expect((await user.fetch('/change-entries/sealed', {})).statusCode).toBe(200)
})

test('HEAD has the headers of each', async () => {
  const { user, ids } = await newLog(3)
  const authorization = String((await user.fetch('/', {})).raw.req.headers.authorization)
  for (const url of pathsOf(ids[0] ?? '')) {
    const head = await query.http.inject({ method: 'HEAD', url, headers: { authorization } })
    const { headers } = await user.fetch(url, {})
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([200, '', headers['content-type']])
  }
})

test('while a person is being erased there is no export, and afterwards the erasure is in it', async () => {
  const { user, entries } = await newLog(3)
  const [first] = entries
  const erasure = {
    ...{ subscriberId: user.subscriberId, eventId: randomUUID(), time: new Date(start + 60_000) },
    personId: first?.user.id ?? '',
  }
  await query.store.erasures.accept([erasure])
  const { status, headers, json } = await user.get('/change-entries/sealed')
  expect([status, json.code, headers['retry-after']]).toEqual([503, 'order_not_ready', '5'])
  await workOff(query.store)
  expect(await answer(user, '/change-entries/sealed')).toEqual([503, 'order_not_ready'])
  await sealer.record()
  const lines = linesOf((await user.fetch('/change-entries/sealed', {})).body)
  expect(lines[1]).toMatchObject({ leafIndex: 0, gone: 'erased', entry: { user: { name: '', email: '' } } })
  expect(Object.keys(lines[1])).toEqual(['leafIndex', 'leafHash', 'salt', 'userHash', 'entry', 'gone'])
  expect(lines[4]).toMatchObject({
    leafIndex: 3,
    erasure: { eventId: erasure.eventId, time: '2026-03-01T00:01:00Z', leafIndexes: [[0, 1]] },
  })
  expect((await user.get(`/change-entries/${first?.id}/proof`)).json.data.userSalt).toBeNull()
})

test('no operation shows the log of another subscriber, and each needs the scope', async () => {
  const { user, ids } = await newLog(2)
  const colleague = await query.newUser({ scope, subscriberId: user.subscriberId })
  const strangers = [await query.newUser({ scope }), await query.newUser({ scope, id: user.id })]
  const unscoped = await query.newUser({ subscriberId: user.subscriberId, scope: 'notifications:create' })
  const [checkpoint, key, consistency, proof, sealed] = pathsOf(ids[0] ?? '')
  for (const path of pathsOf(ids[0] ?? '')) {
    expect((await colleague.fetch(path, {})).body).toBe((await user.fetch(path, {})).body)
    expect(await answer(unscoped, path)).toEqual([403, 'missing_scope'])
    for (const stranger of strangers) {
      const { body } = await stranger.fetch(path, {})
      for (const text of [user.subscriberId, ids[1] ?? '']) expect(body).not.toContain(text)
    }
  }
  for (const stranger of strangers) {
    expect(await answer(stranger, `${checkpoint}`)).toEqual([404, 'no_such_checkpoint'])
    expect((await stranger.get(`${key}`)).json.data.keys[0]).toContain(stranger.subscriberId)
    expect(await answer(stranger, `${consistency}`)).toEqual([400, 'invalid_size'])
    expect(await answer(stranger, `${proof}`)).toEqual([404, 'not_found'])
    expect(await answer(stranger, `${sealed}`)).toEqual([404, 'no_such_checkpoint'])
  }
})
