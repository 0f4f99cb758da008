import { generateKeyPairSync } from 'node:crypto'
import {
  createTree,
  drawSalt,
  entryLeafData,
  erasureLeafData,
  formatVerifierKey,
  hashLeaf,
  hashUser,
  keyNameOf,
  proveConsistency,
  proveInclusion,
  type ReadTiles,
  readSigningKey,
  rootAt,
  signCheckpoint,
  type Tile,
} from '@herald/sealed-log'

/** What a program that knows nothing of Herald is to verify. Hashes are Base64. */
export type Case = { readonly kind: 'checkpoint' | 'inclusion' | 'consistency' | 'line' } & Readonly<
  Record<string, unknown>
>

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** States in which implementations of JCS could differ. */
const states = [
  'text',
  null,
  JSON.parse('[9007199254740993,-0,1E30,4.50,2e-3,1e-27,333333333.33333329,5e-324,1e21,123456789012345680000]'),
  { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7, '10': [{}, []], '': '</script>\u2028\u000f"\\' },
]

function createKey() {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const read = readSigningKey(pem)
  if (!read.ok) throw new Error(read.detail)
  return read.key
}

/** A log of so many leaves, with an erasure as the last one, as lines of an export and in tiles. */
function createSealedLog(size: number) {
  const tiles = new Map<string, Uint8Array>()
  const insert = ({ level, index, hashes }: Tile) => void tiles.set(`${level}/${index}`, hashes)
  const readTiles: ReadTiles = async (addresses) =>
    addresses.map(({ level, index }) => tiles.get(`${level}/${index}`) as Uint8Array)
  const tree = createTree({ onFullTile: insert })
  const lines: object[] = []
  const leafHashes: Buffer[] = []
  const add = (line: object, data: Uint8Array) => {
    const leafHash = hashLeaf(data)
    tree.append(leafHash)
    leafHashes.push(leafHash)
    lines.push({ leafIndex: lines.length, leafHash: base64(leafHash), ...line })
  }
  for (let i = 0; i < size - 1; i++) {
    const [salt, userSalt] = [drawSalt(), drawSalt()]
    const entry = {
      id: `00000000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`,
      user: { id: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9', name: 'Amara “Ö” <Okafor>', email: 'amara@example.com' },
      entityType: 'portfolio',
      entityId: `p-${i}`,
      entityTitle: 'Growth',
      actionType: 'update',
      changedField: 'title',
      createdAt: '2026-01-01T00:00:00Z',
      beforeState: states[i % states.length],
      afterState: states[(i + 1) % states.length],
    }
    const userHash = hashUser(userSalt, entry.user)
    const data = entryLeafData({ salt, userHash, entry })
    if (i === 3) add({ salt: base64(salt), userHash: base64(userHash), entry, gone: 'erased' }, data)
    else add({ salt: base64(salt), userSalt: base64(userSalt), entry }, data)
  }
  const erasure = {
    eventId: '019b76da-a87b-726e-a4a3-c60fe33870b1',
    time: '2026-01-01T00:00:00Z',
    leafIndexes: [[3, 4]] as const,
  }
  add({ erasure }, erasureLeafData(erasure))
  tree.edgeTiles().forEach(insert)
  return { lines, leafHashes, readTiles }
}

/** Each true case, and what is wrong with each false one. */
export async function createCases(size: number): Promise<{ truths: Case[]; lies: (readonly [string, Case])[] }> {
  const { lines, leafHashes, readTiles } = createSealedLog(size)
  const [key, next, other] = [createKey(), createKey(), createKey()]
  const origin = keyNameOf('log.example.com/herald', '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9')
  const root = await rootAt(size, readTiles)
  const checkpoint: Case = {
    kind: 'checkpoint',
    verifierKey: formatVerifierKey(origin, key.publicKey),
    origin,
    note: signCheckpoint({ size, root }, origin, [key]),
    size,
    root: base64(root),
  }
  const both = signCheckpoint({ size, root }, origin, [next, key])

  const inclusion = async (index: number): Promise<Case> => {
    const hashes = await proveInclusion(index, size, readTiles)
    const leafHash = base64(leafHashes[index] as Buffer)
    return { kind: 'inclusion', index, size, leafHash, root: base64(root), hashes: hashes.map(base64) }
  }
  const consistency = async (from: number): Promise<Case> => {
    const hashes = (await proveConsistency(from, size, readTiles)).map(base64)
    const fromRoot = base64(await rootAt(from, readTiles))
    return { kind: 'consistency', from, to: size, fromRoot, toRoot: base64(root), hashes }
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
      ['another leaf', { ...included, leafHash: base64(leafHashes[9] as Buffer) }],
      ['another index', { ...included, index: 253 }],
      ['another root', { ...included, root: base64(leafHashes[9] as Buffer) }],
      ['a missing hash', { ...included, hashes: (included.hashes as string[]).slice(1) }],
      ['another earlier root', { ...consistent, fromRoot: base64(leafHashes[9] as Buffer) }],
      ['another earlier size', { ...consistent, from: 254 }],
      ['hashes in another order', { ...consistent, hashes: (consistent.hashes as string[]).toReversed() }],
      ['another state', edit('entry', { afterState: 'other' })],
      ['another user', edit('entry', { user: { id: '', name: '', email: '' } })],
      ['another erasure', { kind: 'line', line: { ...lines.at(-1), erasure: { leafIndexes: [] } } }],
    ],
  }
}
