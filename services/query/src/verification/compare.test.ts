import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createSealedLog, type ExportLine, formatExport } from '@herald/sealed-log/testing'
import { afterAll, expect, test } from '@jest/globals'
import { verify } from './verify.ts'

const folder = mkdtempSync(join(tmpdir(), 'herald-compare-'))
afterAll(() => rmSync(folder, { recursive: true }))

const log = createSealedLog()
for (const count of [300, 700, 500]) {
  log.addEntries(count)
  log.seal()
}
/** Under the same name and key, with other entries from the first on: what a rewritten database would seal. */
const rewritten = createSealedLog({ key: log.key })
for (const count of [300, 700, 500]) {
  rewritten.addEntries(count, 9)
  rewritten.seal()
}

async function consistencyBetween(from: number, to: number) {
  const hashes = await log.proveConsistency(from, to)
  return { from, to, hashes: hashes.map((hash) => hash.toString('base64')) }
}

const fileOf = (name: string, content: unknown) => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const note = ({ checkpoints }: typeof log, i: number) => checkpoints[i] ?? ''

async function compare(a: string, b: string, consistency?: unknown, exported?: string) {
  const [output, notes] = [new PassThrough(), new PassThrough()]
  const args = ['--checkpoint', fileOf('a', a), '--against', fileOf('b', b), '--key', log.verifierKey]
  if (consistency !== undefined) args.push('--consistency', fileOf('consistency.json', consistency))
  if (exported !== undefined) args.push('--export', fileOf('export.ndjson', exported))
  const code = await verify(args, { output, notes })
  output.end()
  return [code, await text(output)]
}

const proof = await consistencyBetween(300, 1000)

test('a checkpoint agrees with itself', async () => {
  expect(await compare(note(log, 1), note(log, 1))).toEqual([0, ''])
})

test('two checkpoints agree by a consistency proof, in either order', async () => {
  expect(await compare(note(log, 0), note(log, 1), { data: { ...proof, checkpoint: note(log, 1) } })).toEqual([0, ''])
  expect(await compare(note(log, 1), note(log, 0), proof)).toEqual([0, ''])
})

test('two checkpoints of one size with different roots are two logs', async () => {
  expect(await compare(note(log, 1), note(rewritten, 1))).toEqual([
    1,
    '1 - there are two different logs: both checkpoints have size 1000, but not the same root\n',
  ])
})

test('a log that does not continue an older checkpoint was rewritten', async () => {
  expect(await compare(note(log, 1), note(rewritten, 0), proof)).toEqual([
    1,
    expect.stringMatching(
      /^1 - the consistency proof is wrong, or the log of size 1000 does not continue that of size 300/,
    ),
  ])
})

test('a wrong proof proves nothing', async () => {
  for (const hashes of [proof.hashes.slice(1), [...proof.hashes, proof.hashes[0]], proof.hashes.toReversed()]) {
    expect((await compare(note(log, 0), note(log, 1), { ...proof, hashes }))[0]).toBe(1)
  }
})

test('an export is held against both checkpoints, and needs no proof', async () => {
  const whole = formatExport(log.lines.slice(0, 1000), note(log, 1))
  expect(await compare(note(log, 1), note(log, 0), undefined, whole)).toEqual([0, ''])
  expect(await compare(note(log, 1), note(rewritten, 0), undefined, whole)).toEqual([
    1,
    expect.stringMatching(
      /^1 - the leaf hashes of the export do not give the root in the other checkpoint, of size 300/,
    ),
  ])
  expect(await compare(note(log, 1), note(log, 2), undefined, whole)).toEqual([
    5,
    '5 - the export ends at 1000, so --against, of size 1500, needs --consistency\n',
  ])
  const later = await consistencyBetween(1000, 1500)
  expect(await compare(note(log, 1), note(log, 2), later, whole)).toEqual([0, ''])
})

test.each([
  [
    'removed',
    (line: ExportLine) => line.leafIndex !== 1200,
    [2, '2 1200 leaf: no line; removed, or not part of this export\n'],
  ],
  [
    'removed first',
    (line: ExportLine) => line.leafIndex !== 1000,
    [2, '2 1000 leaf: no line; removed, or not part of this export\n'],
  ],
])('an entry is missing that the newer checkpoint seals: %s', async (_, keep, found) => {
  expect(await compare(note(log, 1), note(log, 2), undefined, formatExport(log.lines.filter(keep), ''))).toEqual(found)
})

test('an entry that the newer checkpoint seals was exchanged with its hash', async () => {
  const lines = log.lines.map((line) => (line.leafIndex === 1200 ? (rewritten.lines[1200] as ExportLine) : line))
  expect(await compare(note(log, 1), note(log, 2), undefined, formatExport(lines, ''))).toEqual([
    1,
    expect.stringMatching(
      /^1 - the leaf hashes of the export do not give the root in the other checkpoint, of size 1500/,
    ),
  ])
})

test.each([
  [
    'no proof',
    undefined,
    '5 - checkpoints of the sizes 300 and 1000 can only be compared with --consistency or --export',
  ],
  [
    'a proof between other sizes',
    { ...proof, to: 1500 },
    '5 - the consistency proof is from 300 to 1500, but the checkpoints',
  ],
  [
    'hashes that are none',
    { ...proof, hashes: ['x'] },
    'is not an answer of GET /change-entries/checkpoint/consistency',
  ],
  ['a problem document', { title: 'Not found' }, 'is not an answer of GET /change-entries/checkpoint/consistency'],
  ['no JSON', 'hello', 'is not an answer of GET /change-entries/checkpoint/consistency'],
])('could not be checked: %s', async (_, consistency, words) => {
  expect(await compare(note(log, 0), note(log, 1), consistency)).toEqual([5, expect.stringContaining(words)])
})
