import type { ChangeEntry, ChangeEntryProof } from '@herald/client'
import { expect, test } from '@jest/globals'
import { isErasedUser, matchesProof } from './check-proof.ts'
import users from './erased-users.json' with { type: 'json' }

/** An entry of `leaf-vectors.json` in `packages/sealed-log`, whose hashes were computed by an independent program. */
const growth: ChangeEntry = {
  id: '019b76da-a87b-726e-a4a3-c60fe33870b1',
  user: { id: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9', name: 'Amara Okafor', email: 'amara@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: 'Growth',
  actionType: 'update',
  changedField: 'title',
  createdAt: '2026-01-01T00:00:00Z',
  beforeState: 'Old',
  afterState: 'New',
}
const growthSeal = {
  salt: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  userSalt: '//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=',
  userHash: 'zSRxKpBSfH/wklWYXJ82SykLvnQnToavqoh5raJsy/s=',
  leafHash: 'sNMcLGZWD/epvM09DaXIUsTO8Yse9hYl7bRZfbDozHg=',
}
const numbers: ChangeEntry = {
  ...growth,
  id: '00000000-0000-7000-8000-000000000000',
  beforeState: [1e21, 123456789012345680000, -1e-7, 5e-324, 1.7976931348623157e308],
  afterState: false,
}
const numbersSeal = {
  salt: '//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=',
  userSalt: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  userHash: 'ywqhSi1OYEydFi5ZlV5JpkKw4NQmuIdXdUs1QnyKVYE=',
  leafHash: 'hb/o3sli7asNM6It4HxGZKm9so8TynOzPksa6v5wnIw=',
}
const unicode: ChangeEntry = {
  id: '01a2ce8b-d3ff-75b6-98c3-ba2dbd6f1c2e',
  user: { id: '00000000-0000-8000-8000-000000000000', name: '', email: '' },
  entityType: '',
  entityId: '€/ö\r',
  entityTitle: 'Ünïcödé 💥 \u2028\u007f"\\',
  actionType: 'update',
  changedField: '',
  createdAt: '2026-01-01T00:00:00Z',
  beforeState: null,
  afterState: {
    '€': 2 ** 53,
    '\r': -0,
    '\ufb33': 1e30,
    '1': 4.5,
    '😀': 2e-3,
    '\u0080': 1e-27,
    ö: 333333333.3333333,
    '10': [true, false, null, [], {}],
    $ref: { b: '\u000f\n', a: '' },
    '': '</script>',
  },
}
const unicodeSeal = {
  salt: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  userSalt: '//////////////////////////////////////////8=',
  userHash: 'oIVs940tgd+aVCHQNtrO6Fb0evTw1WXGF1jQsGR95ds=',
  leafHash: 'mhIlDLxPGHNW2/AeWqOHN/Uz+iWM33RJ7xqj6utUkgE=',
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

// The definitions of RFC 9162, section 2.1, with Base64 in place of bytes.
async function hashOf(left: string, right: string): Promise<string> {
  const data = Uint8Array.of(1, ...fromBase64(left), ...fromBase64(right))
  return toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', data)))
}
function split(size: number): number {
  let k = 1
  while (k * 2 < size) k *= 2
  return k
}
async function rootOf(leaves: readonly string[]): Promise<string> {
  if (leaves.length === 1) return leaves[0] as string
  const k = split(leaves.length)
  return hashOf(await rootOf(leaves.slice(0, k)), await rootOf(leaves.slice(k)))
}
async function pathOf(m: number, leaves: readonly string[]): Promise<string[]> {
  if (leaves.length === 1) return []
  const k = split(leaves.length)
  return m < k
    ? [...(await pathOf(m, leaves.slice(0, k))), await rootOf(leaves.slice(k))]
    : [...(await pathOf(m - k, leaves.slice(k))), await rootOf(leaves.slice(0, k))]
}

/** The proof of the entry at an index, in a log whose other leaves are any hashes. */
async function proofAt(leafIndex: number, treeSize: number, seal = growthSeal): Promise<ChangeEntryProof> {
  const leaves = Array.from({ length: treeSize }, (_, at) =>
    at === leafIndex ? seal.leafHash : toBase64(new Uint8Array(32).fill(at)),
  )
  const checkpoint = `log.example/1\n${treeSize}\n${await rootOf(leaves)}\n\n— log.example/1 AAAA\n`
  return { leafIndex, treeSize, ...seal, hashes: await pathOf(leafIndex, leaves), checkpoint }
}

test('an entry matches its proof at every index of logs of every size', async () => {
  for (let size = 1; size <= 17; size++) {
    for (let index = 0; index < size; index++)
      expect([size, index, await matchesProof(growth, await proofAt(index, size))]).toEqual([size, index, true])
  }
})

test('numbers and Unicode have the canonical form of the log', async () => {
  expect(await matchesProof(numbers, await proofAt(2, 5, numbersSeal))).toBe(true)
  expect(await matchesProof(unicode, await proofAt(2, 5, unicodeSeal))).toBe(true)
})

test('an entry of which anything was altered does not match', async () => {
  const proof = await proofAt(4, 7)
  for (const change of [
    { id: numbers.id },
    { user: { ...growth.user, name: 'Mei Tanaka' } },
    { user: { ...growth.user, email: '' } },
    { entityType: 'fund' },
    { entityId: 'p-2' },
    { entityTitle: 'growth' },
    { actionType: 'delete' },
    { changedField: 'name' },
    { createdAt: '2026-01-01T00:00:01Z' },
    { beforeState: null },
    { afterState: ['New'] },
  ])
    expect([change, await matchesProof({ ...growth, ...change }, proof)]).toEqual([change, false])
})

test('a field that the API adds later is no part of the leaf', async () => {
  expect(await matchesProof({ ...growth, source: 'web' } as ChangeEntry, await proofAt(0, 3))).toBe(true)
})

test('everything but the user of an erased entry matches', async () => {
  const proof = { ...(await proofAt(1, 3)), userSalt: null }
  const user = { id: '00000000-0000-8000-8000-000000000000', name: '', email: '' }
  expect(await matchesProof({ ...growth, user }, proof)).toBe(true)
  expect(await matchesProof({ ...growth, user, afterState: 'Newer' }, proof)).toBe(false)
})

test('nothing is said of an erased entry that is shown with a user', async () => {
  const proof = { ...(await proofAt(1, 3)), userSalt: null }
  expect(await matchesProof(growth, proof)).toBeUndefined()
  expect(await matchesProof({ ...growth, afterState: 'Newer' }, proof)).toBe(false)
})

test('an entry with another e-mail address of a user without a name does not match', async () => {
  const user = { id: '0190a6e0-7c1b-8def-8abc-000000000001', name: '', email: 'forged@example.com' }
  expect(await matchesProof({ ...growth, user }, await proofAt(1, 3))).toBe(false)
})

test('nothing is said of an entry whose user is being erased, unless something else was altered', async () => {
  const user = { id: '0190a6e0-7c1b-8def-8abc-000000000001', name: '', email: '' }
  expect(await matchesProof({ ...growth, user }, await proofAt(1, 3))).toBeUndefined()
  expect(await matchesProof({ ...growth, user, afterState: 'Newer' }, await proofAt(1, 3))).toBe(false)
})

test.each([
  ['at another index', { leafIndex: 3 }],
  ['behind the end of the log', { leafIndex: 6 }],
  ['with a hash more', { hashes: Array<string>(5).fill(growthSeal.leafHash) }],
  ['with a hash less', { hashes: [] }],
  ['with another salt', { salt: numbersSeal.salt }],
  ['with a checkpoint without a size', { checkpoint: 'log.example/1' }],
])('a proof %s does not match', async (_, change) => {
  expect(await matchesProof(growth, { ...(await proofAt(2, 6)), ...change })).toBe(false)
})

test.each(users)('agrees with verify.js on whether an erasure left %j', ({ user, isErased }) => {
  expect(isErasedUser(user)).toBe(isErased)
})
