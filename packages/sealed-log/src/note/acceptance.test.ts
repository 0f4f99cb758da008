import { expect, test } from '@jest/globals'
import { createSigningKey } from '../testing/sealed-log.fixture.ts'
import { emptyRoot, openAcceptance, signAcceptance, subscriberOfAcceptance } from './acceptance.ts'
import { openCheckpoint, signCheckpoint } from './checkpoint.ts'
import { keyNameOf } from './key-name.ts'
import { toVerifierKey } from './verifier-key.ts'

const origin = 'log.example.com/herald'
const subscriberId = '0190a6e0-7c1b-4def-8abc-000000000001'
const other = '0190a6e0-7c1b-4def-8abc-000000000002'
const key = createSigningKey()
const keysOf = (id: string) => [toVerifierKey(keyNameOf(origin, id), key.publicKey)]
const acceptance = {
  subscriberId,
  size: 300,
  root: Buffer.alloc(32, 7),
  topic: 'log-checkpoints',
  offsets: new Map([
    [0, 0n],
    [2, 2n ** 62n],
  ]),
}
const note = signAcceptance(acceptance, origin, [key])

test('has the form of the contract, and is read as it was signed', () => {
  expect(note.split('\n\n')[0]).toBe(
    `herald acceptance ${origin}\n${subscriberId}\n300\n${Buffer.alloc(32, 7).toString('base64')}\n` +
      '0 0 log-checkpoints\n2 4611686018427387904 log-checkpoints',
  )
  expect(openAcceptance(note, origin, keysOf(subscriberId))).toEqual(acceptance)
  expect(subscriberOfAcceptance(note, origin)).toBe(subscriberId)
  const empty = signAcceptance({ ...acceptance, size: 0, root: emptyRoot }, origin, [key])
  expect(openAcceptance(empty, origin, keysOf(subscriberId))?.size).toBe(0)
})

test('is no checkpoint, and a checkpoint is none', () => {
  expect(openCheckpoint(note, keysOf(subscriberId)).ok).toBe(false)
  const checkpoint = signCheckpoint({ size: 300, root: acceptance.root }, keyNameOf(origin, subscriberId), [key])
  expect(openAcceptance(checkpoint, origin, keysOf(subscriberId))).toBeUndefined()
})

test.each([
  ['of another log', note.replaceAll(subscriberId, other), origin, keysOf(other)],
  ['whose subscriber was changed', note.replace(`\n${subscriberId}\n`, `\n${other}\n`), origin, keysOf(other)],
  ['with another size', note.replace('\n300\n', '\n200\n'), origin, keysOf(subscriberId)],
  ['with another offset', note.replace(' 0 log-', ' 9 log-'), origin, keysOf(subscriberId)],
  ['of another origin', note, 'log.example.org', keysOf(subscriberId)],
  ['by another key', signAcceptance(acceptance, origin, [createSigningKey()]), origin, keysOf(subscriberId)],
  ['without a signature', note.slice(0, note.indexOf('\n\n') + 1), origin, keysOf(subscriberId)],
  [
    'without offsets',
    signAcceptance({ ...acceptance, offsets: new Map() }, origin, [key]),
    origin,
    keysOf(subscriberId),
  ],
])('one %s is none', (_, changed, asked, keys) => {
  expect(openAcceptance(changed, asked, keys)).toBeUndefined()
})
