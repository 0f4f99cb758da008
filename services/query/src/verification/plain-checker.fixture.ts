import { createHash } from 'node:crypto'

type Json = Record<string, unknown>
type Target = { readonly size: number; readonly root: string; readonly mayExpire: boolean }

const sha256 = (...parts: readonly (Buffer | string)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const jcs = (value: unknown): string => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not in JSON')
  if (Array.isArray(value)) return `[${value.map(jcs)}]`
  if (!isJson(value)) return JSON.stringify(value)
  const names = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1))
  return `{${names.filter((name) => value[name] !== undefined).map((name) => `${JSON.stringify(name)}:${jcs(value[name])}`)}}`
}
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const pick = (value: Json, ...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, value[name]]))
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isThere = (value: unknown) => value !== undefined && value !== null
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const bytesOf = (text: unknown) => {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64')
  if (bytes.length !== 32 || bytes.toString('base64') !== text) throw new Error('not 32 bytes in Base64')
  return bytes
}
const treeHash = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 1) return leaves[0] as Buffer
  const left = 2 ** Math.floor(Math.log2(leaves.length - 1))
  return sha256('\u0001', treeHash(leaves.slice(0, left)), treeHash(leaves.slice(left)))
}

function kindOf({ entry, erasure, gone }: Json) {
  const form = [isThere(entry), isThere(erasure), isThere(gone) ? JSON.stringify(gone) : ''].join()
  return {
    'true,false,': 'entry',
    'true,false,"erased"': 'erased',
    'false,false,"expired"': 'expired',
    'false,true,': 'erasure',
  }[form]
}

function rangesOf({ leafIndex, erasure }: Json): (readonly [number, number])[] | undefined {
  if (!isJson(erasure) || !uuid.test(String(erasure.eventId)) || typeof erasure.eventId !== 'string') return undefined
  const { time, leafIndexes } = erasure
  if (typeof time !== 'string' || !/^[0-9TZ:+.-]{1,40}$/.test(time) || !Array.isArray(leafIndexes)) return undefined
  const isRange = (range: unknown) => Array.isArray(range) && range.length === 2 && range.every(isNumber)
  if (!leafIndexes.every(isRange)) return undefined
  const ends = [-1, ...leafIndexes.flat(), leafIndex as number]
  const isAscending = ends.every(
    (end, i) => i === 0 || (i === ends.length - 1 ? end >= ends[i - 1] : end > ends[i - 1]),
  )
  return isAscending ? leafIndexes : undefined
}

/** @returns whether the content of a line has its leaf hash */
function isTrue(line: Json): boolean {
  const kind = kindOf(line)
  try {
    const leafHash = bytesOf(line.leafHash)
    if (kind === 'expired') return true
    if (kind === 'erasure') {
      if (rangesOf(line) === undefined) return false
      return leafHash.equals(sha256('\u0000\u0002', jcs(pick(line.erasure as Json, 'eventId', 'time', 'leafIndexes'))))
    }
    const { entry } = line
    if (kind === undefined || !isJson(entry) || !isJson(entry.user)) return false
    const { id, name, email } = entry.user
    const isErasedUser = /^.{14}8.{4}[89ab]/.test(String(id)) && uuid.test(String(id)) && name === '' && email === ''
    if (kind === 'erased' && (!isErasedUser || Object.keys(entry.user).length !== 3)) return false
    const userHash =
      kind === 'erased' ? bytesOf(line.userHash) : sha256(bytesOf(line.userSalt), jcs({ id, name, email }))
    const names = [
      'id',
      'entityType',
      'entityId',
      'entityTitle',
      'actionType',
      'changedField',
      'createdAt',
      'beforeState',
      'afterState',
    ]
    const fields = { ...pick(entry, ...names), userHash: userHash.toString('base64') }
    return leafHash.equals(sha256('\u0000\u0001', bytesOf(line.salt), jcs(fields)))
  } catch {
    return false
  }
}

/** The number of keys in a text: strings before a colon. */
const countKeys = (text: string) =>
  Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)).filter(([, colon]) => colon).length
const keysOf = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce(
        (sum: number, child) => sum + keysOf(child),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      )

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJson(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The exit code of `verify.js`, decided from the contract alone, with everything in memory and quadratic in its time. */
export function plainVerdict(exported: Buffer, { size, root, mayExpire }: Target): number {
  const text = exported.toString()
  const texts = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  const lines = texts.map(parse).filter((line) => line !== undefined)
  if (lines.length < texts.length || !Buffer.from(text).equals(exported)) return 5
  const isLeaf = ({ leafIndex }: Json) => isNumber(leafIndex)
  const isCheckpoint = ({ leafIndex, checkpoint }: Json) => leafIndex === undefined && typeof checkpoint === 'string'
  const leaves = lines.filter(isLeaf)
  const indexes = leaves.map(({ leafIndex }) => leafIndex as number)
  const erasures = leaves.filter(({ erasure }) => erasure !== undefined)
  const codes = new Set<number>()
  if (!lines.every((line) => isLeaf(line) || isCheckpoint(line))) codes.add(1)
  if (indexes.some((index, i) => i > 0 && index <= (indexes[i - 1] as number))) codes.add(1)
  for (let index = 0; index < size; index++) if (!indexes.includes(index)) codes.add(2)
  if (codes.size === 0) {
    const hashes = leaves.slice(0, size).map(({ leafHash }) => Buffer.from(String(leafHash), 'base64'))
    if (treeHash(hashes).toString('base64') !== root) codes.add(1)
  }
  for (const line of leaves) {
    const index = line.leafIndex as number
    if (!isTrue(line) || countKeys(texts[lines.indexOf(line)] as string) !== keysOf(line)) codes.add(1)
    if (index >= size) codes.add(4)
    if (kindOf(line) === 'expired' && !mayExpire && index < size) codes.add(2)
    if (kindOf(line) !== 'erased') continue
    const naming = erasures.filter((erasure) => rangesOf(erasure)?.some(([from, to]) => from <= index && index < to))
    if (naming.length === 0) codes.add(1)
    else if (naming.some(({ leafIndex }) => (leafIndex as number) < size)) codes.add(3)
    else codes.add(4)
  }
  return codes.size === 0 ? 0 : Math.min(...codes)
}
