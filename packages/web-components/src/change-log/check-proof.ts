import type { ChangeEntry, ChangeEntryProof, JsonValue } from '@herald/client'

/**
 * Whether an entry, as it is shown, is the leaf of its proof, and that leaf is in the checkpoint (RFC 9162, section 2.1.3.2).
 * The checkpoint's signature is not verified. `undefined` if nothing can be said: the browser has no Web Crypto, as in pages
 * without HTTPS, or the entry's user is being erased, and the log does not say so yet, or was erased and is shown all the same.
 */
export async function matchesProof(entry: ChangeEntry, proof: ChangeEntryProof): Promise<boolean | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined
  const { leafIndex, salt, userSalt, hashes, checkpoint } = proof
  const { id, user, entityType, entityId, entityTitle, actionType, changedField, createdAt } = entry
  const { beforeState, afterState } = entry
  const own = { id: user.id, name: user.name, email: user.email }
  const ownHash = userSalt === null ? undefined : toBase64(await sha256(fromBase64(userSalt), canonical(own)))
  const isErased = ownHash === undefined || (ownHash !== proof.userHash && isErasedUser(user))
  // An erased user can't be proven, only that there was one.
  const userHash = isErased ? proof.userHash : ownHash
  const named = { id, userHash, entityType, entityId, entityTitle, actionType, changedField, createdAt }
  const leaf = canonical({ ...named, beforeState, afterState })
  let hash = await sha256(Uint8Array.of(0, 1), fromBase64(salt), leaf)

  const [, size = '', root = ''] = checkpoint.split('\n')
  let at = leafIndex
  let last = Number(size) - 1
  if (!(at <= last)) return false
  for (const sibling of hashes.map(fromBase64)) {
    if (last === 0) return false
    const isRight = at % 2 === 1 || at === last
    hash = await (isRight ? sha256(node, sibling, hash) : sha256(node, hash, sibling))
    while (isRight && at % 2 === 0 && at > 0) [at, last] = [half(at), half(last)]
    ;[at, last] = [half(at), half(last)]
  }
  if (last !== 0 || toBase64(hash) !== root) return false
  const isProven = isErased ? userSalt === null && isErasedUser(user) : true
  return isProven || undefined
}

const pseudonym = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * Whether a user is what an erasure leaves: a pseudonym (UUIDv8), an empty name and an empty e-mail address, and nothing else.
 * `verify.js` decides it too; `erased-users.json` has cases for both.
 */
export function isErasedUser(user: unknown): boolean {
  if (typeof user !== 'object' || user === null) return false
  const { id, name, email, ...others } = user as Record<string, unknown>
  const isEmpty = name === '' && email === '' && Object.keys(others).length === 0
  return isEmpty && typeof id === 'string' && pseudonym.test(id)
}

const node = Uint8Array.of(1)
const half = (value: number) => Math.floor(value / 2)

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

async function sha256(...parts: readonly (Uint8Array | string)[]): Promise<Uint8Array> {
  const data = await new Blob(parts as BlobPart[]).arrayBuffer()
  return new Uint8Array(await crypto.subtle.digest('SHA-256', data))
}

/** JCS (RFC 8785): keys sorted by UTF-16 code units, no spaces. */
function canonical(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical)}]`
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name] as JsonValue)}`)}}`
}
