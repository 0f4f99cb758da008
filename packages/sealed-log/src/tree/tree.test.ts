import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { plainConsistency, plainInclusion, plainRoot } from './plain-tree.fixture.ts'
import { proveConsistency, proveInclusion, rootAt } from './prove.ts'
import { createTileMemory, seal, storedTree } from './tiles.fixture.ts'
import { edgeTilesOf, type ReadTiles, type TileAddress } from './tiles.ts'
import { continueTree, createTree } from './tree.ts'
import { verifyConsistency, verifyInclusion } from './verify-proofs.ts'

const leaves = Array.from({ length: 66_700 }, (_, i) => createHash('sha256').update(`leaf ${i}`).digest())
const full = tilesAt([65_535, 65_536, 65_537, 65_792, 66_700])
const hex = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'))
const rootOf = (size: number) => plainRoot(leaves.slice(0, size))

const edges = [1, 2, 3, 255, 256, 257, 511, 512, 513]
/** Around the third level of tiles. The plain tree takes long there. */
const largeEdges = [65_535, 65_536, 65_537, 65_792, 66_700]
const sizes = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: 1, max: 800 }))
const anySizes = fc.oneof(sizes, fc.constantFrom(...largeEdges))
const runs = { numRuns: 60 }

test.each([...edges, ...largeEdges])('has the root of RFC 9162 with %d leaves', (size) => {
  expect(storedTree(leaves.slice(0, size)).tree.root()).toEqual(rootOf(size))
})

test('has the roots of the vectors of Certificate Transparency', () => {
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  const roots = [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ]
  const tree = createTree()
  for (const [i, input] of inputs.entries()) {
    tree.append(
      createHash('sha256')
        .update(Buffer.from(`00${input}`, 'hex'))
        .digest(),
    )
    expect(tree.root().toString('hex')).toBe(roots[i])
  }
})

test('proves every leaf of small trees, as RFC 9162', async () => {
  for (let size = 1; size <= 20; size++) {
    const { readTiles, tree } = storedTree(leaves.slice(0, size))
    for (let index = 0; index < size; index++) {
      const hashes = await proveInclusion(index, size, readTiles)
      expect(hex(hashes)).toEqual(hex(plainInclusion(index, leaves.slice(0, size))))
      const leafHash = leaves[index] as Buffer
      expect(verifyInclusion({ index, leafHash, size, root: tree.root(), hashes })).toBe(true)
    }
    for (let from = 1; from <= size; from++) {
      const hashes = await proveConsistency(from, size, readTiles)
      expect(hex(hashes)).toEqual(hex(plainConsistency(from, leaves.slice(0, size))))
      expect(verifyConsistency({ from, fromRoot: rootOf(from), to: size, toRoot: tree.root(), hashes })).toBe(true)
    }
  }
})

test('proves leaves and earlier sizes of any tree, from the tiles of a larger one too', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), fc.boolean(), async (size, number, isLarger) => {
      const own = leaves.slice(0, size)
      // A partial tile of the smaller tree may be gone: the full one at its place contains it.
      const { readTiles } = isLarger ? tilesAt([size, 1500]) : storedTree(own)
      const [index, from] = [number % size, (number % size) + 1]
      expect(hex(await proveInclusion(index, size, readTiles))).toEqual(hex(plainInclusion(index, own)))
      expect(hex(await proveConsistency(from, size, readTiles))).toEqual(hex(plainConsistency(from, own)))
      expect(await rootAt(size, readTiles)).toEqual(plainRoot(own))
    }),
    runs,
  )
})

/** The tiles after sealing at some sizes, without partial tiles whose full tile is stored. */
function tilesAt(sealed: readonly number[]) {
  const memory = createTileMemory()
  const tree = createTree({ onFullTile: memory.insert })
  for (const size of sealed) seal(tree, leaves.slice(tree.size(), size), memory)
  for (const key of memory.tiles.keys()) {
    const place = key.slice(0, key.lastIndexOf('/'))
    if (!key.endsWith('/256') && memory.tiles.has(`${place}/256`)) memory.tiles.delete(key)
  }
  return memory
}

test.each(largeEdges)('proves leaves and earlier sizes of a tree of %d leaves', async (size) => {
  const own = leaves.slice(0, size)
  for (const index of [0, 65_279, size - 1]) {
    expect(hex(await proveInclusion(index, size, full.readTiles))).toEqual(hex(plainInclusion(index, own)))
    expect(hex(await proveConsistency(index + 1, size, full.readTiles))).toEqual(hex(plainConsistency(index + 1, own)))
  }
})

test('a tree that continues from its tiles is the same tree', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (a, b) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b)]
      const stored = storedTree(leaves.slice(0, start))
      const tree = await continueTree(start, stored.readTiles, { onFullTile: stored.insert })
      expect(tree.root()).toEqual(stored.tree.root())
      seal(tree, leaves.slice(start, end), stored)
      const whole = storedTree(leaves.slice(0, end))
      expect([tree.size(), tree.root()]).toEqual([end, whole.tree.root()])
      for (const [key, hashes] of whole.tiles) expect(stored.tiles.get(key)).toEqual(hashes)
    }),
    runs,
  )
})

test('reads at most two tiles of each level for a proof, each once and all at once', async () => {
  for (const [index, from] of [
    [0, 1],
    [65_535, 65_535],
    [66_699, 66_699],
    [12_345, 54_321],
  ] as const) {
    for (const prove of [
      (readTiles: ReadTiles) => proveInclusion(index, 66_700, readTiles),
      (readTiles: ReadTiles) => proveConsistency(from, 66_700, readTiles),
    ]) {
      const asked: TileAddress[] = []
      const { promise, resolve } = Promise.withResolvers<void>()
      const proof = prove(async (addresses) => {
        asked.push(...addresses)
        await promise
        return full.readTiles(addresses)
      })
      const before = asked.length
      resolve()
      await proof
      expect(asked).toHaveLength(before)
      expect(new Set(asked.map(({ level, index: tile }) => `${level}/${tile}`)).size).toBe(before)
      for (const level of [0, 1, 2]) expect(asked.filter((one) => one.level === level).length).toBeLessThanOrEqual(2)
    }
  }
})

test('has the partial tiles of the example in tlog-tiles', () => {
  expect(edgeTilesOf(70_000)).toEqual([
    { level: 0, index: 273, width: 112 },
    { level: 1, index: 1, width: 17 },
    { level: 2, index: 0, width: 1 },
  ])
  expect(edgeTilesOf(256)).toEqual([{ level: 1, index: 0, width: 1 }])
})

test('refuses what has no proof', async () => {
  const read = full.readTiles
  await expect(proveInclusion(5, 5, read)).rejects.toThrow('5 is not an index in a tree of 5 leaves')
  await expect(proveInclusion(-1, 5, read)).rejects.toThrow(RangeError)
  await expect(proveConsistency(0, 5, read)).rejects.toThrow(RangeError)
  await expect(proveConsistency(6, 5, read)).rejects.toThrow('A tree of 5 leaves is no continuation of one of 6')
  await expect(rootAt(0, read)).rejects.toThrow(RangeError)
  expect(() => createTree().root()).toThrow(RangeError)
  expect(() => createTree().append(Buffer.alloc(31))).toThrow('A leaf hash has 32 bytes')
})

test('no changed proof is accepted', async () => {
  const other = createHash('sha256').update('other').digest()
  await fc.assert(
    fc.asyncProperty(anySizes, fc.nat(), fc.nat(), async (size, number, place) => {
      const [index, from] = [number % size, (number % size) + 1]
      const root = await rootAt(size, full.readTiles)
      const inclusion = {
        index,
        leafHash: leaves[index] as Buffer,
        size,
        root,
        hashes: await proveInclusion(index, size, full.readTiles),
      }
      const consistency = {
        from,
        fromRoot: await rootAt(from, full.readTiles),
        to: size,
        toRoot: root,
        hashes: await proveConsistency(from, size, full.readTiles),
      }
      expect([verifyInclusion(inclusion), verifyConsistency(consistency)]).toEqual([true, true])
      for (const change of [
        { leafHash: other },
        { root: other },
        { index: index + 1 },
        { index: index - 1 },
        { index: index + 0.5 },
        ...changedLists(inclusion.hashes, place, other),
      ]) {
        expect(verifyInclusion({ ...inclusion, ...change })).toBe(false)
      }
      for (const change of [
        { fromRoot: other },
        { toRoot: other },
        { from: 0 },
        ...(from < size ? [{ from: from + 1 }, { to: from }, { fromRoot: root }] : []),
        ...changedLists(consistency.hashes, place, other),
      ]) {
        expect(verifyConsistency({ ...consistency, ...change })).toBe(false)
      }
    }),
    runs,
  )
})

function changedLists(hashes: readonly Buffer[], place: number, other: Buffer) {
  const lists = [[...hashes, other]]
  if (hashes.length > 0) {
    const at = place % hashes.length
    lists.push(hashes.with(at, other), hashes.toSpliced(at, 1))
  }
  return lists.map((changed) => ({ hashes: changed }))
}
