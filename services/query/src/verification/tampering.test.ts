import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { entryLeafData, hashLeaf, hashUser, signCheckpoint } from '@herald/sealed-log'
import { createSealedLog, createSigningKey, type ExportLine, formatExport } from '@herald/sealed-log/testing'
import { afterAll, expect, test } from '@jest/globals'
import { verify } from './verify.ts'

// A true log of 3,000 leaves, of which the first 100 expired and those from 2,900 on are not sealed yet.
const log = createSealedLog()
log.addEntries(1000)
log.seal()
log.erase(3)
log.addEntries(999)
log.erase(4)
log.addEntries(899)
log.seal()
log.addEntries(100)
log.expire(0, 100)
const uuid = (number: number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
const firstErasure = 1000
const { lines: all } = log
const [older = '', checkpoint = ''] = log.checkpoints

const folder = mkdtempSync(join(tmpdir(), 'herald-verify-'))
afterAll(() => rmSync(folder, { recursive: true }))

function toText() {
  const chunks: string[] = []
  const stream = new Writable({ write: (chunk, _, done) => done(void chunks.push(String(chunk)) as undefined) })
  return { stream, text: () => chunks.join('') }
}

type Run = {
  readonly lines?: readonly unknown[]
  readonly text?: string | Buffer
  readonly note?: string
  readonly key?: string
  readonly args?: readonly string[]
}

async function run({ lines = all, text = formatExport(lines, checkpoint), note = checkpoint, key, args }: Run) {
  const [exportFile, checkpointFile] = [join(folder, 'export.ndjson'), join(folder, 'checkpoint')]
  writeFileSync(exportFile, text)
  writeFileSync(checkpointFile, note)
  const files = ['--export', exportFile, '--checkpoint', checkpointFile, '--key', key ?? log.verifierKey]
  const [output, notes] = [toText(), toText()]
  const streams = { output: output.stream, notes: notes.stream }
  const code = await verify([...files, ...(args ?? ['--retention-days', '365'])], streams)
  return { code, findings: output.text().split('\n').slice(0, -1), notes: notes.text() }
}

const withCode = (findings: readonly string[], code: number) => findings.filter((line) => line.startsWith(`${code} `))

const erasedBy = (user: number, before: number) =>
  log.lines.filter(({ leafIndex, gone }) => gone === 'erased' && leafIndex % 10 === user && leafIndex < before)

test('the findings of a true export are its erasures and its tail', async () => {
  const { code, findings, notes } = await run({})
  expect(code).toBe(3)
  const erased = [...erasedBy(3, 1000), ...erasedBy(4, 2000)]
  expect(findings.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    ...erased.map(({ leafIndex }) => `3 ${leafIndex}`).toSorted(byIndex),
    '4 2900-2999',
  ])
  expect(findings[0]).toBe(
    '3 103 entry 00000000-0000-7000-8000-000000000067: its user was erased by 00000000-0000-7000-8000-0000000e03e8 of ' +
      '2026-06-01T00:00:00Z, in leaf 1000, and cannot be proven; everything else is unaltered',
  )
  expect(findings.at(-1)).toBe(
    `4 2900-2999 100 leaves, ${uuid(2900)} to ${uuid(2999)}: not sealed yet, behind the end of the checkpoint`,
  )
  expect(notes).toBe(
    '3000 leaves read; the checkpoint has size 2900\nResult: whole, but for users that were erased by erasures in the log\n',
  )
})

const byIndex = (a: string, b: string) => Number(a.split(' ')[1]) - Number(b.split(' ')[1])

test('an erasure that is not sealed yet does not make an entry erased', async () => {
  const young = createSealedLog()
  young.addEntries(20)
  young.seal()
  young.addEntries(20)
  young.erase(5)
  const [note = ''] = young.checkpoints
  const text = formatExport(young.lines, note)
  const { code, findings } = await run({ text, note, key: young.verifierKey })
  expect(code).toBe(4)
  expect(findings.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['4 5', '4 15', '4 20-40'])
  expect(findings[0]).toMatch(/, in leaf 40, which is not sealed yet$/)
})

test('a log without erasures, expired entries or a tail is whole', async () => {
  const plain = createSealedLog()
  plain.addEntries(1000)
  plain.seal()
  const [note = ''] = plain.checkpoints
  const { code, findings, notes } = await run({
    text: formatExport(plain.lines, note),
    note,
    key: plain.verifierKey,
    args: [],
  })
  expect([code, findings]).toEqual([0, []])
  expect(notes).toBe('1000 leaves read; the checkpoint has size 1000\nResult: whole\n')
})

let usualRun: ReturnType<typeof run> | undefined

/** The code and the leaves of findings that the true export does not have. */
function added(findings: readonly string[], usual: readonly string[]) {
  const known = new Set(usual)
  return findings.filter((line) => !known.has(line)).map((line) => line.split(' ').slice(0, 2).join(' '))
}

type Edit = (line: ExportLine) => ExportLine
type Lines = readonly ExportLine[]

const edit = (index: number, change: Edit, lines: Lines = all): Lines =>
  lines.map((line) => (line.leafIndex === index ? change(structuredClone(line)) : line))

const editEntry = (index: number, change: Partial<NonNullable<ExportLine['entry']>>) =>
  edit(index, (line) => ({ ...line, entry: line.entry && { ...line.entry, ...change } }))

const at = (index: number) => all[index] as ExportLine
const without = (from: number, to = from + 1) => all.filter(({ leafIndex }) => leafIndex < from || leafIndex >= to)

/** Gives a line the leaf hash of its content, as whoever alters the database would. */
const rehash: Edit = (line) => {
  const { entry, salt = '', userSalt = '' } = line
  if (entry === undefined) return line
  const userHash = hashUser(Buffer.from(userSalt, 'base64'), entry.user)
  const leafHash = hashLeaf(entryLeafData({ salt: Buffer.from(salt, 'base64'), userHash, entry }))
  return { ...line, leafHash: leafHash.toString('base64') }
}

const erasedLine: Edit = (line) => {
  const { entry, salt = '', userSalt = '' } = line
  if (entry === undefined) return line
  const userHash = hashUser(Buffer.from(userSalt, 'base64'), entry.user).toString('base64')
  const user = { id: uuid(0xfff).replace('-7000-', '-8000-'), name: '', email: '' }
  return {
    leafIndex: line.leafIndex,
    leafHash: line.leafHash,
    salt,
    userHash,
    entry: { ...entry, user },
    gone: 'erased',
  }
}

type Ranges = readonly (readonly [number, number])[]

const editErasure = (index: number, change: (ranges: Ranges) => Ranges, lines: Lines = all) =>
  edit(
    index,
    ({ erasure, ...line }) => ({
      ...line,
      erasure: erasure && { ...erasure, leafIndexes: change(erasure.leafIndexes) },
    }),
    lines,
  )

const swapLines = (a: number, b: number) => all.with(a, at(b)).with(b, at(a))
/** Contents and hashes of two entries change places; the indexes stay. */
const swapContents = (a: number, b: number) =>
  all.with(a, { ...at(b), leafIndex: a }).with(b, { ...at(a), leafIndex: b })

/** A false entry that agrees with its hash; those behind it move by one. */
const insert = (index: number) => {
  const fake = rehash({ ...structuredClone(at(index)), salt: at(index + 1).salt })
  return [...all.slice(0, index), fake, ...all.slice(index).map(moveByOne)]
}
const moveByOne: Edit = (line) => ({ ...line, leafIndex: line.leafIndex + 1 })

const erasedInFirst = erasedBy(3, 1000).map(({ leafIndex }) => `1 ${leafIndex}`)
const newTime: Edit = ({ erasure, ...line }) => ({
  ...line,
  erasure: erasure && { ...erasure, time: '2026-06-02T00:00:00Z' },
})
const byName = (index: number, name: string) =>
  editEntry(index, { user: { ...(at(index).entry as never as { user: { id: string; email: string } }).user, name } })

// Each manipulation, and the findings of code 1 and 2 that it must make beside those of the true export: no more, no less.
test.each<readonly [string, Lines, readonly string[]]>([
  ['a changed state', editEntry(1500, { afterState: 'Other' }), ['1 1500']],
  [
    'another number deep in a state',
    editEntry(1502, {
      beforeState: [
        9007199254740992, 0, 1e30, 4.5, 2.1e-3, 1e-27, 333333333.3333333, 5e-324, 1e21, 1.2345678901234568e20,
      ],
    }),
    ['1 1502'],
  ],
  ['an emptied state', editEntry(1500, { beforeState: null }), ['1 1500']],
  ['a time moved by a second', editEntry(1500, { createdAt: '2026-01-01T00:25:01Z' }), ['1 1500']],
  ['another user', editEntry(1500, { user: at(1501).entry?.user as never }), ['1 1500']],
  ['another name of the user', byName(1500, 'Other'), ['1 1500']],
  ['the users of two entries swapped', editUser(1500, 1501), ['1 1500', '1 1501']],
  ['another title of an erased entry', editEntry(103, { entityTitle: 'Other' }), ['1 103']],
  [
    'a name in an erased entry',
    edit(103, (line) => ({
      ...line,
      entry: line.entry && { ...line.entry, user: { ...line.entry.user, name: 'Bo' } },
    })),
    ['1 103'],
  ],
  ...(['Amara Okafor', ['Amara Okafor'], { id: 'amara@example8com', name: '', email: '' }] as const).map(
    (user): [string, Lines, string[]] => [
      `${JSON.stringify(user)} as the user of an erased entry`,
      editEntry(103, { user: user as never }),
      ['1 103'],
    ],
  ),
  ['another id', editEntry(1500, { id: uuid(0xbad) }), ['1 1500']],
  ['no salt', edit(1500, ({ salt, ...line }) => line), ['1 1500']],
  ['the salt of another entry', edit(1500, (line) => ({ ...line, salt: at(1501).salt })), ['1 1500']],
  ['no userSalt', edit(1500, ({ userSalt, ...line }) => line), ['1 1500']],
  ['no userHash in an erased entry', edit(103, ({ userHash, ...line }) => line), ['1 103']],
  ['another userHash in an erased entry', edit(103, (line) => ({ ...line, userHash: line.leafHash })), ['1 103']],
  ['no entry', edit(1500, ({ entry, ...line }) => line), ['1 1500']],
  ['another leaf hash', edit(1500, (line) => ({ ...line, leafHash: at(1).leafHash })), ['1 1500', '1 -']],
  ['no leaf hash', edit(1500, (line) => ({ ...line, leafHash: '' })), ['1 1500']],
  ['another leaf hash of an expired entry', edit(50, (line) => ({ ...line, leafHash: at(1).leafHash })), ['1 -']],
  ['no leaf hash of an expired entry', edit(50, (line) => ({ ...line, leafHash: '' })), ['1 50']],
  [
    'a changed state with a new leaf hash',
    edit(1500, (line) => rehash({ ...line, entry: line.entry && { ...line.entry, afterState: 1 } })),
    ['1 -'],
  ],
  ['two entries swapped with their hashes', swapContents(1500, 1600), ['1 -']],
  ['two adjacent lines swapped', swapLines(1500, 1501), ['1 1501']],
  ['two distant lines swapped', swapLines(1500, 1600), ['1 1600', '1 1500']],
  [
    'all lines in reverse',
    all.slice(2400).toReversed(),
    Array.from({ length: 599 }, (_, i) => `1 ${2999 - i}`).concat('2 0-2399'),
  ],
  ['a line twice', all.toSpliced(1501, 0, at(1500)), ['1 1500']],
  ['a line twice, the second time at the end', [...all, at(1500)], ['1 1500']],
  [
    'a false line before a true one',
    all.toSpliced(1500, 0, rehash({ ...structuredClone(at(1501)), leafIndex: 1500 })),
    ['1 1500', '1 -'],
  ],
  ['an inserted entry', insert(2500), ['1 -']],
  ['another index', edit(1500, (line) => ({ ...line, leafIndex: 100_000 })), ['1 100000', '2 1500']],
  ['an index that is none', edit(1500, (line) => ({ ...line, leafIndex: -1 })), ['1 -', '2 1500']],
  ['an entry marked as erased', edit(1500, erasedLine), ['1 1500']],
  [
    'an entry marked as erased, and added to an erasure',
    editErasure(2000, (ranges) => [...ranges.filter(([from]) => from < 1500), [1500, 1501]], edit(1500, erasedLine)),
    erasedBy(4, 2000)
      .filter(({ leafIndex }) => leafIndex > 1500)
      .map(({ leafIndex }) => `1 ${leafIndex}`)
      .concat('1 2000'),
  ],
  [
    'an erasure that names one entry less',
    editErasure(firstErasure, (ranges) => ranges.slice(0, -1)),
    ['1 993', '1 1000'],
  ],
  ['an erasure that names one entry more', editErasure(firstErasure, (ranges) => [...ranges, [996, 997]]), ['1 1000']],
  [
    'an erasure that names entries behind it',
    editErasure(firstErasure, (ranges) => [...ranges, [1500, 1501]]),
    [...erasedInFirst, '1 1000'],
  ],
  ['another time of an erasure', edit(firstErasure, newTime), ['1 1000']],
  ['an entry in the line of one that expired', edit(50, (line) => ({ ...line, entry: at(500).entry })), ['1 50']],
  ['an entry in the line of an erasure', edit(firstErasure, (line) => ({ ...line, entry: at(500).entry })), ['1 1000']],
  ['a line of another form', edit(1500, (line) => ({ ...line, gone: 'lost' })), ['1 1500']],
  ['a removed entry', without(1500), ['2 1500']],
  ['the first entry removed', without(0), ['2 0']],
  ['removed entries', without(1500, 1600), ['2 1500-1599']],
  ['a removed erasure', without(firstErasure), [...erasedInFirst, '2 1000']],
  ['the end cut off', all.slice(0, 2890), ['2 2890-2899']],
  ['no leaves', [], ['2 0-2899']],
  [
    'one entry removed and another changed',
    editEntry(1500, { afterState: 1 }).filter(({ leafIndex }) => leafIndex !== 1400),
    ['1 1500', '2 1400'],
  ],
])('finds %s', async (_, lines, expected) => {
  usualRun ??= run({})
  const usual = await usualRun
  const { code, findings } = await run({ lines })
  const serious = added(findings, usual.findings).filter((line) => line.startsWith('1 ') || line.startsWith('2 '))
  expect(serious).toEqual(expected)
  expect(code).toBe(expected.some((line) => line.startsWith('1 ')) ? 1 : 2)
})

function editUser(a: number, b: number) {
  const [first, second] = [at(a).entry?.user, at(b).entry?.user]
  return all.map((line) => {
    const user = line.leafIndex === a ? second : line.leafIndex === b ? first : undefined
    return user && line.entry ? { ...line, entry: { ...line.entry, user } } : line
  })
}

test('entries that expired are missing unless the log has a retention', async () => {
  const { code, findings } = await run({ args: [] })
  expect(code).toBe(2)
  expect(withCode(findings, 2)).toEqual([
    '2 0-99 100 leaves: marked as expired; give --retention-days if the retention of this log removes entries',
  ])
})

test('a key that stands twice in a line is found, for readers take one or the other', async () => {
  const text = formatExport(all, checkpoint)
  const doubled = text.replace('"afterState":"State 1500"', '"afterState":"Other","afterState":"State 1500"')
  const { code, findings } = await run({ text: doubled })
  expect([code, withCode(findings, 1)]).toEqual([
    1,
    [`1 1500 entry ${uuid(1500)}: the line has a key twice, so that readers may disagree about it`],
  ])
})

test('fields that no leaf contains do not make an export false, and are named', async () => {
  const { code, notes } = await run({
    lines: edit(1500, (line) => ({ ...line, entry: { ...line.entry, approvedBy: 'x' } as never })),
  })
  expect(code).toBe(3)
  expect(notes).toContain('Not verified, because no leaf contains them: "entry.approvedBy"\n')
})

test('names of fields do not steer the terminal', async () => {
  const { notes } = await run({
    lines: edit(1500, (line) => ({ ...line, '\u009b2J\u202e\u007f\u2028': 1 }) as never),
  })
  expect(notes).toContain('Not verified, because no leaf contains them: "\\u{9b}2J\\u{202e}\\u{7f}\\u{2028}"\n')
})

const otherLog = createSealedLog({ subscriberId: uuid(2), key: log.key })
otherLog.addEntries(10)
otherLog.seal()
const otherKey = createSealedLog({ key: createSigningKey() }).verifierKey
const text = formatExport(all, checkpoint)
const forged = signCheckpoint({ size: 2900, root: Buffer.alloc(32) }, log.name, [createSigningKey()])

test.each<readonly [string, Run, string]>([
  [
    'the checkpoint of another subscriber',
    { note: otherLog.checkpoints[0] ?? '' },
    'the note is not signed by the key, but by log.example.com/00000000-0000-7000-8000-000000000002',
  ],
  ['another key', { key: otherKey }, 'the note is not signed by the key'],
  ['the key of another subscriber', { key: otherLog.verifierKey }, 'the note is not signed by the key'],
  ['a key that is none', { key: 'secret' }, 'the verifier key cannot be used: Must have the form'],
  [
    'a checkpoint with another size',
    { note: checkpoint.replace('\n2900\n', '\n2899\n') },
    'is wrong: the note was altered or forged',
  ],
  [
    'a checkpoint with another root',
    { note: checkpoint.replace(/^[^\n]{44}$/m, older.split('\n')[2] ?? '') },
    'is wrong: the note was altered or forged',
  ],
  ['a forged signature', { note: forged }, 'the note is not signed by the key, but by'],
  [
    'a forged signature under the id of the key',
    { note: withId(forged, checkpoint) },
    'is wrong: the note was altered or forged',
  ],
  ['a checkpoint that is no note', { note: 'hello\n' }, 'a signed note is text, an empty line, and signatures'],
  ['an empty export', { text: '' }, 'export.ndjson is empty'],
  ['a line that was cut', { text: text.slice(0, -20) }, 'line 3001 is not a JSON object: it was cut or damaged'],
  ['an empty line', { text: text.replace('\n', '\n\n') }, 'line 2 is not a JSON object: it is empty'],
  ['another document', { text: 'id,user\n1,2\n' }, 'line 1 is not a JSON object: is this a sealed export?'],
  ['an array', { text: `[]\n${text}` }, 'line 1 is not a JSON object'],
  [
    'bytes that are no UTF-8',
    { text: Buffer.from(text.replace('“€”', 'xxx'), 'latin1') },
    'is not a JSON object: it was cut or damaged',
  ],
  [
    'a retention that is no number',
    { args: ['--retention-days', '0'] },
    '--retention-days must be a number of days, from 1',
  ],
  ['an unknown option', { args: ['--fast'] }, "Unknown option '--fast'"],
  ['a consistency proof alone', { args: ['--consistency', 'x'] }, '--consistency needs the checkpoint to compare with'],
])('could not be checked: %s', async (_, changes, words) => {
  const { code, findings } = await run(changes)
  expect([code, findings]).toEqual([5, [expect.stringContaining(words)]])
  expect(findings[0]).toMatch(/^5 - \S/)
})

test.each([
  ['--export', 'export'],
  ['--checkpoint', 'checkpoint'],
])('could not be checked: no such file for %s', async (option, name) => {
  const file = join(folder, `no-${name}`)
  const { code, findings } = await run({ args: [option, file] })
  expect([code, findings]).toEqual([5, [expect.stringContaining(`${file} cannot be read: there is no such file`)]])
})

/** The signature of one note under the key id of another. */
function withId(note: string, other: string) {
  const bytesOf = (signed: string) => Buffer.from(signed.trim().split(' ').at(-1) ?? '', 'base64')
  const signature = Buffer.concat([bytesOf(other).subarray(0, 4), bytesOf(note).subarray(4)]).toString('base64')
  return note.replace(/\S+\n$/, `${signature}\n`)
}
