import { expect, test } from '@jest/globals'
import { readCosignature } from '../note/cosignature.ts'
import { readVerifierKey } from '../note/verifier-key.ts'
import { createSealedLog } from '../testing/sealed-log.fixture.ts'
import { createWitnessKey } from '../testing/witness-key.fixture.ts'
import { readPolicy } from './read-policy.ts'
import { checkQuorum } from './witness-policy.ts'

const log = createSealedLog()
log.addEntries(3)
const note = log.seal()
const [a, b, c] = ['a.example', 'b.example/2', 'c.example'].map(createWitnessKey) as [Key, Key, Key]
type Key = ReturnType<typeof createWitnessKey>

const read = (...lines: readonly string[]) => readPolicy(Buffer.from(lines.map((line) => `${line}\n`).join('')))
const lineOf = (name: string, { verifierKey }: Key) => `witness ${name} ${verifierKey} https://${name}.example/w/`
const all = [lineOf('A', a), lineOf('B', b), lineOf('C', c)]

function policyOf(...lines: readonly string[]) {
  const policy = read(...lines)
  if (!policy.ok) throw new Error(policy.detail)
  return policy.policy
}

const verdict = (signed: string, ...lines: readonly string[]) => checkQuorum(signed, policyOf(...all, ...lines)).ok

test.each<[string, readonly string[], readonly Key[], boolean]>([
  ['none needs no cosignature', ['quorum none'], [], true],
  ['one witness has cosigned', ['quorum A'], [a], true],
  ['another one has cosigned', ['quorum A'], [b, c], false],
  ['two of three', ['group G 2 A B C', 'quorum G'], [c, a], true],
  ['one of two of three', ['group G 2 A B C', 'quorum G'], [c], false],
  ['one twice is one', ['group G 2 A B C', 'quorum G'], [c, c], false],
  ['any', ['group G any A B', 'quorum G'], [b], true],
  ['all but one', ['group G all A B C', 'quorum G'], [a, b], false],
  ['a group of groups', ['group G any A B', 'group H all G C', 'quorum H'], [b, c], true],
  ['half of a group of groups', ['group G any A B', 'group H all G C', 'quorum H'], [a, b], false],
])('a quorum: %s', (_, lines, keys, expected) => {
  expect(verdict(note + keys.map((key) => key.cosign(note)).join(''), ...lines)).toBe(expected)
})

test('a cosignature counts for its checkpoint and its time only', () => {
  log.addEntries(1)
  const next = log.seal()
  const line = a.cosign(note)
  expect(verdict(note + line, 'quorum A')).toBe(true)
  expect(verdict(next + line, 'quorum A')).toBe(false)
  const [, , base64 = ''] = line.trim().split(' ')
  const later = Buffer.from(base64, 'base64')
  later[11] = (later[11] as number) ^ 1
  expect(verdict(`${note}${line.replace(base64, later.toString('base64'))}`, 'quorum A')).toBe(false)
  expect(verdict(note + a.cosign(note, 0n), 'quorum A')).toBe(false)
})

test('a wrong cosignature of a witness of the policy makes the checkpoint invalid, also if others are enough', () => {
  const forged = note + a.cosign(note) + b.cosign(log.seal())
  expect(checkQuorum(forged, policyOf(...all, 'quorum A'))).toEqual({
    ok: false,
    detail: 'the cosignature of b.example/2 is wrong: the note was altered or forged',
  })
  expect(checkQuorum(forged, policyOf(all[0] as string, 'quorum A')).ok).toBe(true)
})

test('an answer of a witness is signature lines, of which one is valid and of its key', () => {
  const line = a.cosign(note)
  expect(readCosignature(`${b.cosign(note)}${line}`, note, a.key)).toBe(line)
  for (const answer of ['', '\n', line.trimEnd(), `${line}\n`, `x\n${line}`, b.cosign(note), a.cosign(log.seal())]) {
    expect([answer, readCosignature(answer, note, a.key)]).toEqual([answer, undefined])
  }
})

test('a policy is read with comments, tabs, and names in any alphabet', () => {
  const policy = policyOf(
    '# ours',
    `  log ${log.verifierKey} https://log.example/`,
    '',
    `\twitness\té ${a.verifierKey}   http://127.0.0.1:1/prefix/`,
    'quorum é  ',
  )
  expect(policy.logs.map(({ name }) => name)).toEqual([log.name])
  expect(policy.witnesses.map(({ name, url }) => [name, url])).toEqual([['é', 'http://127.0.0.1:1/prefix']])
  expect(checkQuorum(note + a.cosign(note), policy).ok).toBe(true)
})

const mlDsa = `w.example+00000000+${Buffer.concat([Buffer.of(6), Buffer.alloc(1312)]).toString('base64')}`
test.each<[string, readonly string[], string]>([
  ['nothing', [], 'A quorum line is missing; quorum none demands no cosignature'],
  ['two quorums', ['quorum none', 'quorum none'], 'Line 2: A second quorum line'],
  ['an unknown keyword', ['Witness A k'], 'Line 1: Unknown keyword Witness'],
  ['a word of an object', ['constructor A'], 'Line 1: Unknown keyword constructor'],
  ['an undefined quorum', ['quorum A'], 'Line 1: A is not defined above'],
  ['a name below', ['group G any A', lineOf('A', a)], 'Line 1: A is not defined above'],
  ['none as a member', [lineOf('A', a), 'group G any none'], 'Line 2: none is not defined above'],
  ['none as a name', [lineOf('none', a)], 'Line 1: none is not a name'],
  ['a name twice', [lineOf('A', a), lineOf('A', b)], 'Line 2: A is defined twice'],
  ['a key twice', [lineOf('A', a), lineOf('B', a)], 'Line 2: A witness with this key is defined twice'],
  ['a member twice', [lineOf('A', a), 'group G any A A'], 'Line 2: A is a member twice'],
  ['a member of two groups', [lineOf('A', a), 'group G any A', 'group H any A'], 'Line 3: A is a member twice'],
  ['a group without members', ['group G any'], 'Line 1: Must be: group <name> all|any|<number> <name>…'],
  ['2 of 1', [lineOf('A', a), 'group G 2 A'], 'Line 2: 2 must be all, any, or a number from 1 to 1'],
  ['0 of 1', [lineOf('A', a), 'group G 0 A'], 'Line 2: 0 must be all, any, or a number from 1 to 1'],
  ['a word of an object as a number', [lineOf('A', a), 'group G toString A'], 'Line 2: toString must be all, any'],
  [
    'the key of a log',
    [`witness A ${log.verifierKey}`],
    'Line 1: The key of A cannot be used: Must be the cosignature/v1',
  ],
  [
    'the key of a witness as a log',
    [`log ${a.verifierKey}`],
    'Line 1: The key of the log cannot be used: Must be the key of a log, and this is the cosignature/v1 key',
  ],
  [
    'a key of ML-DSA-44',
    [`witness A ${mlDsa}`],
    'Line 1: The key of A cannot be used: ML-DSA-44 keys are not supported yet',
  ],
  ['an altered key', [lineOf('A', a).replace('+', '+0')], 'Line 1: The key of A cannot be used: Must have the form'],
  [
    'another scheme',
    [`witness A ${a.verifierKey} ftp://a.example`],
    'Line 1: A URL must begin with https:// or http://',
  ],
  [
    'a query',
    [`witness A ${a.verifierKey} https://a.example/?q`],
    'Line 1: A URL must have no user, query or fragment',
  ],
  ['ends of lines of Windows', ['quorum none\r'], 'Line 1: Contains a control character'],
])('a policy with %s is refused', (_, lines, detail) => {
  expect(read(...lines)).toEqual({ ok: false, detail: expect.stringContaining(detail) })
})

test('more than 32 witnesses are refused', () => {
  const many = Array.from({ length: 33 }, (_, i) => lineOf(`W${i}`, createWitnessKey(`w${i}.example`)))
  expect(read(...many.slice(1), 'quorum none').ok).toBe(true)
  expect(read(...many, 'quorum none')).toEqual({ ok: false, detail: 'Line 33: More than 32 witnesses' })
})

test('the key of a witness is none of a log, and says what it is', () => {
  expect(readVerifierKey(a.verifierKey)).toEqual({
    ok: false,
    detail: expect.stringContaining('this is the cosignature/v1 key of a witness'),
  })
})
