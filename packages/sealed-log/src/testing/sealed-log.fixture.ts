import { createHash, generateKeyPairSync } from 'node:crypto'
import type { JsonValue } from '@herald/contracts'
import { hashLeaf } from '../hash/hashes.ts'
import { type ErasureLeaf, entryLeafData, erasureLeafData, hashUser } from '../leaf/leaf-data.ts'
import { signCheckpoint } from '../note/checkpoint.ts'
import { keyNameOf } from '../note/key-name.ts'
import { readSigningKey, type SigningKey } from '../note/signing-key.ts'
import { formatVerifierKey } from '../note/verifier-key.ts'
import { proveConsistency, proveInclusion, rootAt } from '../tree/prove.ts'
import type { ReadTiles, Tile, TileAddress } from '../tree/tiles.ts'
import { createTree } from '../tree/tree.ts'

export function createSigningKey(): SigningKey {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const read = readSigningKey(pem)
  if (!read.ok) throw new Error(read.detail)
  return read.key
}

const uuid = (number: number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

/** Always the same for one text. */
const random = (text: string) => createHash('sha256').update(text).digest()
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

type SealedEntry = ReturnType<typeof createEntry>
export type ExportLine = {
  leafIndex: number
  leafHash: string
  salt?: string | undefined
  userSalt?: string | undefined
  userHash?: string | undefined
  entry?: SealedEntry | undefined
  erasure?: ErasureLeaf | undefined
  gone?: string | undefined
}

/** In which implementations of JCS could differ. */
const states: readonly JsonValue[] = [
  'text',
  null,
  JSON.parse('[9007199254740993,-0,1E30,4.50,2e-3,1e-27,333333333.33333329,5e-324,1e21,123456789012345680000]'),
  { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7, '10': [{}, []], '': '</script>\u2028\u000f"\\' },
]

function createEntry(number: number, userId: string) {
  return {
    id: uuid(number),
    user: { id: userId, name: `Name of ${userId.slice(-4)}`, email: `${userId.slice(-4)}@example.com` },
    entityType: 'portfolio',
    entityId: `p-${number % 17}`,
    entityTitle: 'Growth “€” 💥',
    actionType: 'update',
    changedField: 'title',
    createdAt: new Date(1_767_225_600_000 + number * 1000).toISOString().replace('.000', ''),
    beforeState: states[number % states.length] as JsonValue,
    afterState: `State ${number}` as JsonValue,
  }
}

const userOf = (number: number) => uuid(0xa000 + number)

/** A log for tests, as a sealer keeps it. Without a key it has one of its own. */
export function createSealedLog({ subscriberId = uuid(1), key = createSigningKey(), origin = 'log.example.com' } = {}) {
  const name = keyNameOf(origin, subscriberId)
  const lines: ExportLine[] = []
  const checkpoints: string[] = []
  const tiles = new Map<string, Uint8Array>()
  const keyOf = ({ level, index }: TileAddress) => `${level}/${index}`
  const insert = (tile: Tile) => void tiles.set(keyOf(tile), tile.hashes)
  const readTiles: ReadTiles = async (addresses) => {
    tree.edgeTiles().forEach(insert)
    return addresses.map((address) => tiles.get(keyOf(address)) as Uint8Array)
  }
  const tree = createTree({ onFullTile: insert })

  function add(line: Omit<ExportLine, 'leafIndex' | 'leafHash'>, data: Uint8Array) {
    const hash = hashLeaf(data)
    tree.append(hash)
    lines.push({ leafIndex: lines.length, leafHash: base64(hash), ...line })
  }

  return {
    name,
    key,
    verifierKey: formatVerifierKey(name, key.publicKey),
    lines: lines as readonly ExportLine[],
    checkpoints: checkpoints as readonly string[],
    /** Adds entries of as many users as given. */
    addEntries(count: number, users = 10) {
      for (let i = 0; i < count; i++) {
        const number = lines.length
        const entry = createEntry(number, userOf(number % users))
        const [salt, userSalt] = [random(`salt ${number}`), random(`user ${number}`)]
        const userHash = hashUser(userSalt, entry.user)
        add({ salt: base64(salt), userSalt: base64(userSalt), entry }, entryLeafData({ salt, userHash, entry }))
      }
    },
    /** Erases a user from the entries so far, and adds the leaf. */
    erase(user: number, pseudonym = '00000000-0000-8000-8000-000000000fff') {
      const leafIndexes: [number, number][] = []
      for (const line of lines) {
        const { entry, userSalt } = line
        if (entry?.user.id !== userOf(user) || userSalt === undefined) continue
        line.userHash = base64(hashUser(Buffer.from(userSalt, 'base64'), entry.user))
        delete line.userSalt
        line.entry = { ...entry, user: { id: pseudonym, name: '', email: '' } }
        line.gone = 'erased'
        const last = leafIndexes.at(-1)
        if (last?.[1] === line.leafIndex) last[1]++
        else leafIndexes.push([line.leafIndex, line.leafIndex + 1])
      }
      const erasure = { eventId: uuid(0xe0000 + lines.length), time: '2026-06-01T00:00:00Z', leafIndexes }
      add({ erasure }, erasureLeafData(erasure))
    },
    /** Expires entries; erasures remain. */
    expire(from: number, to: number) {
      for (const line of lines.slice(from, to)) {
        if (line.erasure !== undefined) continue
        for (const field of ['salt', 'userSalt', 'userHash', 'entry'] as const) delete line[field]
        line.gone = 'expired'
      }
    },
    /** Signs a checkpoint of the current size, by other keys too during a rotation. */
    seal(...others: readonly SigningKey[]) {
      const checkpoint = signCheckpoint({ size: tree.size(), root: tree.root() }, name, [key, ...others])
      checkpoints.push(checkpoint)
      return checkpoint
    },
    rootAt: (size: number) => rootAt(size, readTiles),
    proveInclusion: (index: number, size: number) => proveInclusion(index, size, readTiles),
    proveConsistency: (from: number, to: number) => proveConsistency(from, to, readTiles),
  }
}

/** A sealed export as NDJSON. */
export function formatExport(lines: readonly unknown[], checkpoint: string): string {
  return [{ checkpoint }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}
