import { entryLeafData, formatTlogProof, formatVerifierKey, hashUser } from '@herald/sealed-log'
import { createSealedLog, createSigningKey } from '@herald/sealed-log/testing'

/** A claim that a program that knows nothing of Herald verifies. Hashes are Base64. */
export type Case = { readonly kind: 'checkpoint' | 'inclusion' | 'consistency' | 'line' } & Readonly<
  Record<string, unknown>
>

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Each true case of a log, and what is wrong with each false one. */
export async function createCases(): Promise<{ truths: Case[]; lies: (readonly [string, Case])[] }> {
  const [key, next, other] = [createSigningKey(), createSigningKey(), createSigningKey()]
  const log = createSealedLog({ key, origin: 'log.example.com/herald' })
  log.addEntries(500)
  log.erase(3)
  log.addEntries(199)
  const { name: origin, lines } = log
  const size = lines.length
  const root = base64(await log.rootAt(size))
  const leafHash = (index: number) => lines[index]?.leafHash
  const verifierKey = log.verifierKey
  const checkpoint: Case = { kind: 'checkpoint', verifierKey, origin, note: log.seal(), size, root }
  const both = log.seal(next)

  const inclusion = async (index: number): Promise<Case> => {
    const hashes = (await log.proveInclusion(index, size)).map(base64)
    return { kind: 'inclusion', index, size, leafHash: leafHash(index), root, hashes }
  }
  const consistency = async (from: number): Promise<Case> => {
    const hashes = (await log.proveConsistency(from, size)).map(base64)
    return { kind: 'consistency', from, to: size, fromRoot: base64(await log.rootAt(from)), toRoot: root, hashes }
  }
  const places = [0, 1, 2, 3, 254, 255, 256, 257, 511, 512, size - 2, size - 1]
  const inclusions = await Promise.all(places.map(inclusion))
  const consistencies = await Promise.all(places.map((place) => consistency(place + 1)))
  const lineCases = lines.map((line): Case => ({ kind: 'line', line }))
  const [included, consistent, line] = [inclusions[4], consistencies[4], lineCases[7]] as [Case, Case, Case]
  const edit = (part: string, change: object) => {
    const whole = line.line as Record<string, object>
    return { kind: 'line', line: { ...whole, [part]: { ...whole[part], ...change } } } as const
  }

  return {
    truths: [
      checkpoint,
      { ...checkpoint, note: both },
      { ...checkpoint, note: both, verifierKey: formatVerifierKey(origin, next.publicKey) },
      ...inclusions,
      ...consistencies,
      ...lineCases,
    ],
    lies: [
      ['a checkpoint of another key', { ...checkpoint, verifierKey: formatVerifierKey(origin, other.publicKey) }],
      ['a checkpoint of another log', { ...checkpoint, origin: `${origin}0` }],
      ['a changed size', { ...checkpoint, note: `${checkpoint.note}`.replace(`\n${size}\n`, `\n${size + 1}\n`) }],
      [
        'a changed verifier key',
        { ...checkpoint, verifierKey: `${checkpoint.verifierKey}`.replace('herald', 'horald') },
      ],
      ['another leaf', { ...included, leafHash: leafHash(9) }],
      ['another index', { ...included, index: 253 }],
      ['another root', { ...included, root: leafHash(9) }],
      ['a missing hash', { ...included, hashes: (included.hashes as string[]).slice(1) }],
      ['another earlier root', { ...consistent, fromRoot: leafHash(9) }],
      ['another earlier size', { ...consistent, from: 254 }],
      ['hashes in another order', { ...consistent, hashes: (consistent.hashes as string[]).toReversed() }],
      ['another state', edit('entry', { afterState: 'other' })],
      ['another user', edit('entry', { user: { id: '', name: '', email: '' } })],
      ['another erasure', { kind: 'line', line: { ...lines[500], erasure: { leafIndexes: [] } } }],
    ],
  }
}

/** Proofs as text, and what is wrong with each false one. */
export async function createTextProofs(): Promise<{
  verifierKey: string
  truths: string[]
  lies: (readonly [string, string])[]
}> {
  const log = createSealedLog({ origin: 'log.example.com/herald' })
  log.addEntries(300)
  const checkpoint = log.seal()
  const proofOf = async (index: number) => {
    const { entry, salt = '', userSalt = '' } = log.lines[index] ?? {}
    if (entry === undefined) throw new Error(`Leaf ${index} has no entry`)
    const userHash = hashUser(Buffer.from(userSalt, 'base64'), entry.user)
    const extra = entryLeafData({ salt: Buffer.from(salt, 'base64'), userHash, entry })
    const hashes = (await log.proveInclusion(index, 300)).map(base64)
    return formatTlogProof({ index, hashes, checkpoint, extra })
  }
  const truths = await Promise.all([0, 1, 255, 256, 299].map(proofOf))
  const [, proof = '', other = ''] = truths
  const line = (text: string, n: number) => text.split('\n')[n] ?? ''
  return {
    verifierKey: log.verifierKey,
    truths,
    lies: [
      ['the leaf of another entry', proof.replace(line(proof, 1), line(other, 1))],
      ['another index', proof.replace('\nindex 1\n', '\nindex 0\n')],
      ['another size', proof.replace('\n300\n', '\n299\n')],
      ['a missing hash', proof.replace(`${line(proof, 3)}\n`, '')],
      ['no signature', proof.slice(0, proof.lastIndexOf('\n\n') + 2)],
    ],
  }
}
