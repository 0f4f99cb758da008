import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createStore } from '../store.ts'

const uri = process.env.MONGODB_URI ?? ''
const name = `herald-test-create-requests-${process.pid}`
const store = createStore({ uri, database: name, applicationName: 'test' })
const client = new MongoClient(uri)

const uuid = (n: number) => `0190a6e0-7c1b-4def-8abc-${n.toString(16).padStart(12, '0')}`
const key = (idempotencyKey: string) => ({ subscriberId: uuid(1), userId: uuid(2), idempotencyKey })
const body = Buffer.alloc(32, 1)
const start = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1_000)
const reserve = (...parameters: Parameters<typeof store.createRequests.reserve>) =>
  store.createRequests.reserve(...parameters)

beforeAll(() => store.migrate())
afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
  await store.close()
})

test('reserves the first request, lets the next wait, and returns the same content to both once finished', async () => {
  const first = await reserve(key('a'), body, 'first', at(0))
  expect(first).toMatchObject({ kind: 'reserved', content: 'first' })
  expect(await reserve(key('a'), body, 'second', at(1))).toEqual({ kind: 'in-progress', until: at(30) })
  if (first.kind === 'reserved') await first.finish()
  expect(await reserve(key('a'), body, 'third', at(2))).toEqual({ kind: 'answered', content: 'first' })
})

test('reports another body under the same key, before and after the first has finished', async () => {
  await reserve(key('b'), body, 'first', at(0))
  expect(await reserve(key('b'), Buffer.alloc(32, 2), 'other', at(1))).toEqual({ kind: 'other-body' })
})

test('lets one of many requests take over after the lease, with the content reserved first', async () => {
  await reserve(key('c'), body, 'first', at(0))
  const takers = await Promise.all([1, 2, 3, 4].map((n) => reserve(key('c'), body, `taker ${n}`, at(31))))
  expect(takers.filter(({ kind }) => kind === 'reserved')).toMatchObject([{ content: 'first' }])
  expect(takers.filter(({ kind }) => kind === 'in-progress')).toHaveLength(3)
})

test('releases the lease of a failed request', async () => {
  const first = await reserve(key('d'), body, 'first', at(0))
  if (first.kind === 'reserved') await first.release()
  expect(await reserve(key('d'), body, 'second', at(1))).toMatchObject({ kind: 'reserved', content: 'first' })
})

test('frees the key after 24 hours', async () => {
  const first = await reserve(key('e'), body, 'first', at(0))
  if (first.kind === 'reserved') await first.finish()
  expect(await reserve(key('e'), body, 'x', at(24 * 3_600 - 1))).toMatchObject({ kind: 'answered' })
  expect(await reserve(key('e'), body, 'second', at(24 * 3_600))).toMatchObject({ kind: 'reserved', content: 'second' })
})

test('keeps the keys of users and subscribers apart', async () => {
  await reserve(key('f'), body, 'first', at(0))
  const another = { ...key('f'), userId: uuid(3) }
  expect(await reserve(another, body, 'another', at(1))).toMatchObject({ kind: 'reserved', content: 'another' })
  const elsewhere = { ...key('f'), subscriberId: uuid(4) }
  expect(await reserve(elsewhere, body, 'elsewhere', at(1))).toMatchObject({ kind: 'reserved', content: 'elsewhere' })
})
