import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openCheckpoint, signCheckpoint } from './checkpoint.ts'
import { keyNameOf, whyNotAnOrigin } from './key-name.ts'
import { openNote, signNote } from './signed-note.ts'
import { readSigningKey, type SigningKey } from './signing-key.ts'
import { formatVerifierKey, readVerifierKey, type VerifierKey } from './verifier-key.ts'

const pemOf = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8') =>
  key.export({ format: 'pem', type: type as 'pkcs8' }).toString()

function createKey(): SigningKey {
  const read = readSigningKey(pemOf(generateKeyPairSync('ed25519').privateKey))
  if (!read.ok) throw new Error(read.detail)
  return read.key
}

function verifierOf(name: string, { publicKey }: SigningKey): VerifierKey {
  const read = readVerifierKey(formatVerifierKey(name, publicKey))
  if (!read.ok) throw new Error(read.detail)
  return read.key
}

const name = keyNameOf('log.example.com/herald', '6F1E2D3C-4B5A-4978-8695-A4B3C2D1E0F9')
const [key, next] = [createKey(), createKey()]
const [verifier, nextVerifier] = [verifierOf(name, key), verifierOf(name, next)]
const root = Buffer.alloc(32, 7)
const note = signCheckpoint({ size: 42, root }, name, [key])

// From the documentation of golang.org/x/mod/sumdb/note.
const peter = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const signedByPeter = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`

test('reads a key and a note that another program made', () => {
  const read = readVerifierKey(peter)
  if (!read.ok) throw new Error(read.detail)
  expect(openNote(signedByPeter, [read.key])).toEqual({ ok: true, text: `${signedByPeter.split('\n\n')[0]}\n` })
  expect(formatVerifierKey(read.key.name, read.key.key)).toBe(peter)
})

test('a checkpoint names the log, its size and its root', () => {
  const [text, signatures = ''] = note.split('\n\n')
  expect(text).toBe(`log.example.com/herald/6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9\n42\n${root.toString('base64')}`)
  expect(signatures).toMatch(/^— log\.example\.com\/herald\/6f1e2d3c-\S+ \S+\n$/)
  expect(openCheckpoint(note, [verifier])).toEqual({ ok: true, checkpoint: { size: 42, root } })
})

test('the same keys sign the same note', () => {
  expect(signCheckpoint({ size: 42, root }, name, [key])).toBe(note)
})

test('during a rotation, holders of either key can verify it', () => {
  const both = signCheckpoint({ size: 42, root }, name, [next, key])
  for (const keys of [[verifier], [nextVerifier], [verifier, nextVerifier]]) {
    expect(openCheckpoint(both, keys).ok).toBe(true)
  }
  expect(openCheckpoint(both, [verifierOf(name, createKey())])).toEqual({
    ok: false,
    detail: expect.stringMatching(/^the note is not signed by the key, but by log\.example\.com.* and log/),
  })
})

test('any change of a note is detected', () => {
  fc.assert(
    fc.property(fc.nat(note.length - 1), fc.integer({ min: 0, max: 0x2fff }), (at, code) => {
      const changed = `${note.slice(0, at)}${String.fromCharCode(code)}${note.slice(at + 1)}`
      expect(openCheckpoint(changed, [verifier]).ok).toBe(changed === note)
    }),
    { numRuns: 2000 },
  )
  for (let end = 0; end < note.length; end++) expect(openCheckpoint(note.slice(0, end), [verifier]).ok).toBe(false)
})

test.each([
  [
    'a wrong signature of a given key beside a right one',
    forge(note, next),
    [verifier, nextVerifier],
    'altered or forged',
  ],
  ['the key of another subscriber', note, [verifierOf(`${name}x`, key)], 'not signed by the key'],
  ['another origin', signNote(`other\n42\n${root.toString('base64')}\n`, name, [key]), [verifier], 'log other'],
  ['a size with leading zeros', checkpointWith('042'), [verifier], 'no checkpoint'],
  ['an empty log', checkpointWith('0'), [verifier], 'no checkpoint'],
  ['a size beyond what is exact', checkpointWith('9007199254740993'), [verifier], 'no checkpoint'],
  ['a root of another length', checkpointWith('42', 'AAAA'), [verifier], 'no checkpoint'],
  ['another text', signNote('Hello\n', name, [key]), [verifier], 'no checkpoint'],
  ['line ends of Windows', note.replaceAll('\n', '\r\n'), [verifier], 'control characters'],
  ['no signature', note.slice(0, note.indexOf('\n\n') + 1), [verifier], 'a signed note is text'],
  ['a long text', 'a'.repeat(70_000), [verifier], '64 KiB'],
])('refuses a checkpoint with %s', (_, text, keys, detail) => {
  expect(openCheckpoint(text, keys)).toEqual({ ok: false, detail: expect.stringContaining(detail) })
})

function checkpointWith(size: string, hash = root.toString('base64')) {
  return signNote(`${name}\n${size}\n${hash}\n`, name, [key])
}

/** Adds a signature by the key over another text. */
function forge(signed: string, by: SigningKey) {
  return `${signed}${signNote('other\n', name, [by]).split('\n\n')[1]}`
}

test('accepts extension lines, and signatures of witnesses that it does not know', () => {
  const extended = signNote(`${name}\n42\n${root.toString('base64')}\nwitnessed\n`, name, [key])
  const witnessed = forge(extended, createKey())
  expect(openCheckpoint(witnessed, [verifier])).toEqual({ ok: true, checkpoint: { size: 42, root } })
})

test.each([
  ['', 'Must have the form'],
  ['name+12345678', 'Must have the form'],
  ['+12345678+AQID', 'Must have the form'],
  ['a b+12345678+AQID', 'Must have the form'],
  [peter.replace('+A', '+B'), 'Must be an Ed25519 key'],
  [peter.slice(0, -4), 'Must be an Ed25519 key'],
  [`witness.example+12345678+${Buffer.alloc(33, 4).toString('base64')}`, 'this is the cosignature/v1 key of a witness'],
  [`witness.example+12345678+${Buffer.alloc(1313, 6).toString('base64')}`, 'this is the ML-DSA-44 cosignature key'],
  [peter.replace('c74f20a3', 'c74f20a4'), 'do not belong to its name and key'],
  [peter.replace('Peter', 'Piet'), 'do not belong to its name and key'],
  [`${peter}\n`, 'Must have the form'],
])('refuses the verifier key %j', (text, detail) => {
  expect(readVerifierKey(text)).toEqual({ ok: false, detail: expect.stringContaining(detail) })
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })

test.each([
  ['nothing', '', 'Must be a private key in PEM, as openssl genpkey -algorithm ed25519 creates'],
  ['a raw key', Buffer.alloc(32).toString('base64'), 'Must be a private key in PEM'],
  [
    'an RSA key',
    pemOf(rsa.privateKey),
    'Must be an Ed25519 key, as openssl genpkey -algorithm ed25519 creates, not rsa',
  ],
  ['a P-256 key', pemOf(p256.privateKey), 'not ec'],
  ['an Ed448 key', pemOf(generateKeyPairSync('ed448').privateKey), 'not ed448'],
  ['an X25519 key', pemOf(generateKeyPairSync('x25519').privateKey), 'not x25519'],
  ['PKCS#1', pemOf(rsa.privateKey, 'pkcs1'), 'Must be in PKCS#8 (BEGIN PRIVATE KEY), not BEGIN RSA PRIVATE KEY'],
  ['SEC 1', pemOf(p256.privateKey, 'sec1'), 'Must be in PKCS#8 (BEGIN PRIVATE KEY), not BEGIN EC PRIVATE KEY'],
  ['a key of OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----\n', 'Must be in PKCS#8'],
  ['a public key', key.publicKey.export({ format: 'pem', type: 'spki' }).toString(), 'not a public key'],
  ['an encrypted key', encrypted(), 'Must not be encrypted'],
  ['a cut key', pemOf(key.privateKey).slice(0, 60), 'cannot be read'],
])('refuses %s as a signing key', (_, pem, detail) => {
  expect(readSigningKey(pem)).toEqual({ ok: false, detail: expect.stringContaining(detail) })
})

function encrypted() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' }).toString()
}

test.each([
  ['log.example.com/herald', undefined],
  ['log.example.com', undefined],
  ['https://log.example.com/herald', 'Must be written without a scheme, as log.example.com/herald'],
  ['', 'Must not be empty'],
  ['log.example.com/herald/', 'Must not begin or end with a slash'],
  ['/herald', 'Must not begin or end with a slash'],
  ['log example', 'Must not contain spaces, control characters or a plus sign'],
  ['log\u00a0example', 'Must not contain spaces, control characters or a plus sign'],
  ['log\nexample', 'Must not contain spaces, control characters or a plus sign'],
  ['log+example', 'Must not contain spaces, control characters or a plus sign'],
  ['a'.repeat(201), 'Must have at most 200 characters'],
])('an origin %j: %s', (origin, detail) => {
  expect(whyNotAnOrigin(origin)).toBe(detail)
})
