import { type ActorType, actorTypes, isUuid, limits } from '@herald/contracts'
import type { JWTPayload } from 'jose'
import type { AuthenticationSettings } from './authentication-settings.ts'
import { type ClaimPath, formOf, toClaimPath } from './claim-path.ts'

/** The caller, as read from a verified token. UUIDs are in lower case. */
export type Identity = {
  readonly userId: string
  readonly subscriberId: string
  /** Name and image URL of the user; empty if the token has none. */
  readonly name: string
  readonly picture: string
  readonly actorType: ActorType
  readonly scopes: ReadonlySet<string>
  /** Why the token has no scopes, such as `the claim scope is an object`. */
  readonly scopeFault?: string | undefined
  /** Expiry of the token, without clock tolerance. Streams end at this time. */
  readonly expiresAt: Date
}

export type ReadIdentity =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly detail: string }

type ClaimSettings = Pick<AuthenticationSettings, 'AUTH_USER_CLAIM' | 'AUTH_SUBSCRIBER_CLAIM' | 'AUTH_SCOPE_CLAIM'>

/** Prepares the reader of a token's claims. Signature, issuer, audience and times must already be verified. */
export function createIdentityReader(settings: ClaimSettings): (claims: JWTPayload) => ReadIdentity {
  const user = toClaimPath(settings.AUTH_USER_CLAIM)
  const subscriber = toClaimPath(settings.AUTH_SUBSCRIBER_CLAIM)
  const scope = toClaimPath(settings.AUTH_SCOPE_CLAIM)

  return (claims) => {
    const userId = readUuid(user, claims)
    if (!userId.ok) return userId
    const subscriberId = readUuid(subscriber, claims)
    if (!subscriberId.ok) return subscriberId
    const { actor_type: given = 'user' } = claims
    const actorType = actorTypes.find((type) => type === given)
    if (actorType === undefined) return { ok: false, detail: 'The claim actor_type has an unknown value' }
    // A number too large for a date makes every comparison with it false.
    const expiresAt = new Date((claims.exp ?? Number.NaN) * 1000)
    if (Number.isNaN(expiresAt.getTime())) return { ok: false, detail: 'The claim exp is not a date' }
    const identity = {
      userId: userId.uuid,
      subscriberId: subscriberId.uuid,
      name: readText(claims.name, limits.nameCharacters),
      picture: readText(claims.picture, limits.imageCharacters),
      actorType,
      ...readScopes(scope, claims),
      expiresAt,
    } as const
    return { ok: true, identity }
  }
}

type ReadUuid = { readonly ok: true; readonly uuid: string } | { readonly ok: false; readonly detail: string }

function readUuid({ name, find }: ClaimPath, claims: JWTPayload): ReadUuid {
  const found = find(claims)
  if (!found.ok) return { ok: false, detail: `The claim ${name} ${found.fault}` }
  const { value } = found
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof text === 'string' && isUuid(text)) return { ok: true, uuid: text.toLowerCase() }
  return { ok: false, detail: `The claim ${name} is ${typeof text === 'string' ? 'not a UUID' : formOf(value)}` }
}

/** One text separated by blanks, or a list of texts. */
function readScopes({ name, find }: ClaimPath, claims: JWTPayload): Pick<Identity, 'scopes' | 'scopeFault'> {
  const found = find(claims)
  if (!found.ok) return { scopes: new Set(), scopeFault: `the claim ${name} ${found.fault}` }
  const texts = Array.isArray(found.value) ? found.value : [found.value]
  if (texts.every((text) => typeof text === 'string')) {
    return { scopes: new Set(texts.flatMap((text) => text.split(' ').filter(Boolean))) }
  }
  const form = Array.isArray(found.value) ? 'a list with values that are no texts' : formOf(found.value)
  return { scopes: new Set(), scopeFault: `the claim ${name} is ${form}` }
}

function readText(value: unknown, maxCharacters: number): string {
  return typeof value === 'string' && [...value].length <= maxCharacters && value.isWellFormed() ? value : ''
}
