import { type ActorType, actorTypes, isUuid, limits } from '@herald/contracts'
import type { JWTPayload } from 'jose'

/** The caller, as read from a verified token. UUIDs are in lower case. */
export type Identity = {
  readonly userId: string
  readonly subscriberId: string
  /** Name and image URL of the user; empty if the token has none. */
  readonly name: string
  readonly picture: string
  readonly actorType: ActorType
  readonly scopes: ReadonlySet<string>
  /** Expiry of the token, without clock tolerance. Streams end at this time. */
  readonly expiresAt: Date
}

export type ReadIdentity =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly detail: string }

/** Reads the claims of a token. Signature, issuer, audience and times must already be verified. */
export function readIdentity(claims: JWTPayload, subscriberClaim: string): ReadIdentity {
  const userId = readUuid(claims.sub)
  if (userId === null) return { ok: false, detail: 'The claim sub is not a UUID' }
  const subscriberId = readUuid(claims[subscriberClaim])
  if (subscriberId === null) return { ok: false, detail: 'The subscriber claim is not a UUID' }
  const { actor_type: given = 'user' } = claims
  const actorType = actorTypes.find((type) => type === given)
  if (actorType === undefined) return { ok: false, detail: 'The claim actor_type has an unknown value' }
  // A number too large for a date makes every comparison with it false.
  const expiresAt = new Date((claims.exp ?? Number.NaN) * 1000)
  if (Number.isNaN(expiresAt.getTime())) return { ok: false, detail: 'The claim exp is not a date' }
  const identity = {
    userId,
    subscriberId,
    name: readText(claims.name, limits.nameCharacters),
    picture: readText(claims.picture, limits.imageCharacters),
    actorType,
    scopes: new Set(typeof claims.scope === 'string' ? claims.scope.split(' ').filter(Boolean) : []),
    expiresAt,
  } as const
  return { ok: true, identity }
}

function readUuid(value: unknown): string | null {
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : null
}

function readText(value: unknown, maxCharacters: number): string {
  return typeof value === 'string' && [...value].length <= maxCharacters && value.isWellFormed() ? value : ''
}
