import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ChangeEntry, changeEntrySchema } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { hashLeaf } from '../hash/hashes.ts'
import { type ErasureLeaf, entryLeafData, erasureLeafData, hashUser } from './leaf-data.ts'
import { drawSalt } from './salt.ts'

// Golden vectors, computed by an independent program from the contract's text. They never change: with another form, no
// log that was sealed before could be verified.
type Leaf = { readonly leafData: string; readonly leafHash: string }
type EntryVector = Leaf & Readonly<Record<'salt' | 'userSalt' | 'userHash', string>> & { readonly entry: ChangeEntry }
type ErasureVector = Leaf & { readonly erasure: ErasureLeaf }
const text = readFileSync(new URL('../../leaf-vectors.json', import.meta.url), 'utf8')
const { entries, erasures }: { entries: EntryVector[]; erasures: ErasureVector[] } = JSON.parse(text)

const bytes = (base64: string) => Buffer.from(base64, 'base64')

test('the vectors are unchanged', () => {
  const digest = createHash('sha256').update(text).digest('hex')
  expect([entries.length, erasures.length, digest]).toEqual([
    3,
    2,
    'f6cd7e43e412637ca7a7df069b9f60e755eee7a1ab9e1070a1e33fe387fdba98',
  ])
})

test.each(entries)('makes the frozen leaf of the entry $entry.id', (vector) => {
  const userHash = hashUser(bytes(vector.userSalt), vector.entry.user)
  expect(userHash.toString('base64')).toBe(vector.userHash)
  const data = entryLeafData({ salt: bytes(vector.salt), userHash, entry: vector.entry })
  expect(data.toString('base64')).toBe(vector.leafData)
  expect(hashLeaf(data).toString('base64')).toBe(vector.leafHash)
})

test.each(erasures)('makes the frozen leaf of the erasure $erasure.eventId', ({ erasure, leafData, leafHash }) => {
  const data = erasureLeafData(erasure)
  expect(data.toString('base64')).toBe(leafData)
  expect(hashLeaf(data).toString('base64')).toBe(leafHash)
})

const [vector] = entries as [EntryVector]
const [salt, userHash] = [bytes(vector.salt), bytes(vector.userHash)]

test('ignores fields that the API adds later', () => {
  const later = { ...vector.entry, user: { ...vector.entry.user, image: '/amara.png' }, source: '/later' }
  expect(hashUser(bytes(vector.userSalt), later.user).toString('base64')).toBe(vector.userHash)
  expect(entryLeafData({ salt, userHash, entry: later }).toString('base64')).toBe(vector.leafData)
})

test('a change of any field of an entry changes its leaf', () => {
  const names = Object.keys(changeEntrySchema.shape).filter((name) => name !== 'user')
  expect(names.length).toBe(9)
  const leaves = names.map((name) => entryLeafData({ salt, userHash, entry: { ...vector.entry, [name]: 'other' } }))
  expect(new Set([vector.leafData, ...leaves.map((leaf) => leaf.toString('base64'))]).size).toBe(10)
})

test('refuses salts and hashes of another length', () => {
  const short = Buffer.alloc(31)
  expect(() => hashUser(short, vector.entry.user)).toThrow('userSalt must have 32 bytes, not 31')
  expect(() => entryLeafData({ salt: short, userHash, entry: vector.entry })).toThrow('salt must have 32 bytes, not 31')
  expect(() => entryLeafData({ salt, userHash: short, entry: vector.entry })).toThrow('userHash must have 32 bytes')
})

test('hashes the empty leaf as in RFC 9162', () => {
  expect(hashLeaf(new Uint8Array()).toString('hex')).toBe(
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  )
})

test('draws another salt each time', () => {
  const salts = Array.from({ length: 1000 }, () => drawSalt().toString('hex'))
  expect(new Set(salts).size).toBe(1000)
  expect(salts.every((salt) => salt.length === 64)).toBe(true)
})
