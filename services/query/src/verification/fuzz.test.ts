import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { isFullRun } from '@herald/jest-preset/full-run'
import { createSealedLog, formatExport } from '@herald/sealed-log/testing'
import { afterAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { plainVerdict } from './plain-checker.fixture.ts'
import { verify } from './verify.ts'

const log = createSealedLog()
log.addEntries(20, 4)
log.erase(1)
log.addEntries(12, 4)
log.erase(2)
log.addEntries(8, 4)
const size = log.lines.length
const checkpoint = log.seal()
log.addEntries(4, 4)
log.erase(3)
log.expire(0, 3)
const lines = log.lines as readonly object[]
const [, , root = ''] = checkpoint.split('\n')

const folder = mkdtempSync(join(tmpdir(), 'herald-fuzz-'))
afterAll(() => rmSync(folder, { recursive: true }))
const [exportFile, checkpointFile] = [join(folder, 'export'), join(folder, 'checkpoint')]
writeFileSync(checkpointFile, checkpoint)

async function codeOf(exported: Buffer, mayExpire: boolean) {
  writeFileSync(exportFile, exported)
  let printed = ''
  const stream = new Writable({
    write(chunk, _, done) {
      printed += chunk
      done()
    },
  })
  const files = ['--export', exportFile, '--checkpoint', checkpointFile, '--key', log.verifierKey]
  const code = await verify(mayExpire ? [...files, '--retention-days', '1'] : files, { output: stream, notes: stream })
  return { code, printed }
}

const at = fc.nat(lines.length - 1)
const other = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'erased',
    'expired',
    {},
    [],
    0,
    -1,
    1.5,
    1e308,
    '\u009b31m',
    '\u202e',
    'a@example8com',
  ),
  fc.nat(60),
  fc.jsonValue({ maxDepth: 2 }),
  fc.tuple(fc.nat(60), fc.nat(60)).map((range) => [range]),
)
const places = [
  ...['leafIndex', 'leafHash', 'salt', 'userSalt', 'userHash', 'entry', 'gone', 'erasure', '\u2028\u009b'].map(
    (name) => [name],
  ),
  ...['id', 'user', 'entityId', 'createdAt', 'beforeState', 'afterState', 'approvedBy'].map((name) => ['entry', name]),
  ...['id', 'name', 'email', 'phone'].map((name) => ['entry', 'user', name]),
  ...['eventId', 'time', 'leafIndexes'].map((name) => ['erasure', name]),
]
const place = fc.constantFrom(...places)

type Json = Record<string, unknown>

const put = (value: unknown) => (parent: Json, name: string) => {
  parent[name] = value
}
const drop = (parent: Json, name: string) => {
  delete parent[name]
}

function setAt(line: object, path: readonly string[], change: (parent: Json, name: string) => void): object {
  const changed = structuredClone(line) as Json
  let parent = changed
  for (const name of path.slice(0, -1)) {
    const child = parent[name]
    if (typeof child !== 'object' || child === null) return changed
    parent = child as Json
  }
  change(parent, path.at(-1) as string)
  return changed
}

const editLine =
  (change: (line: object, all: readonly object[]) => object) => (index: number) => (all: readonly object[]) =>
    all.map((line, i) => (i === index ? change(line, all) : line))

const mutation = fc.oneof(
  fc.tuple(at, place, other).map(([i, path, value]) => editLine((line) => setAt(line, path, put(value)))(i)),
  fc.tuple(at, place).map(([i, path]) => editLine((line) => setAt(line, path, drop))(i)),
  // The value that another line has in this place.
  fc.tuple(at, at, place).map(([i, j, path]) =>
    editLine((line, all) => {
      let value: unknown
      setAt(all[j] ?? {}, path, (parent, name) => {
        value = parent[name]
      })
      return setAt(line, path, put(value))
    })(i),
  ),
  fc.tuple(at, at).map(
    ([i, j]) =>
      (all: readonly object[]) =>
        all.toSpliced(i, 1).toSpliced(j, 0, all[i] ?? {}),
  ),
  fc.tuple(at, at).map(
    ([i, j]) =>
      (all: readonly object[]) =>
        all.toSpliced(j, 0, all[i] ?? {}),
  ),
  fc.tuple(at, fc.nat(5)).map(
    ([i, count]) =>
      (all: readonly object[]) =>
        all.toSpliced(i, count),
  ),
  fc.constant((all: readonly object[]) => all.toReversed()),
)
const bytes = fc.array(fc.tuple(fc.nat(1 << 16), fc.nat(255)), { maxLength: 1 })

/** Found by a full run. */
const emptyGone = editLine((line) => ({ ...line, gone: '' }))(12)

const steering = /[^\P{Cc}\n]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

test('every mutation of a true export has the verdict of a plain checker, and prints nothing that steers a terminal', async () => {
  const seen = new Set<number>()
  const mutations = fc.array(mutation, { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(mutations, bytes, fc.boolean(), async (changes, changedBytes, mayExpire) => {
      const changed = changes.reduce((all, change) => change(all), lines)
      const exported = Buffer.from(formatExport(changed, checkpoint))
      for (const [index, byte] of changedBytes) exported[index % exported.length] = byte
      const { code, printed } = await codeOf(exported, mayExpire)
      seen.add(code)
      expect(code).toBe(plainVerdict(exported, { size, root, mayExpire }))
      expect(printed).not.toMatch(steering)
    }),
    { examples: [[[emptyGone], [], false]], ...(isFullRun ? { numRuns: 10_000 } : { numRuns: 400, seed: 7 }) },
  )
  expect([...seen].toSorted()).toEqual([1, 2, 3, 5])
}, 900_000)
