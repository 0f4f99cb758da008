import { systemClock } from '../clock.ts'
import { type Authenticator, createTokenVerification, type TokenRules } from './authenticator.ts'
import { createConfiguredKey, createRemoteKeys, type RemoteKeysOptions } from './verification-keys.ts'

/** Source of the verification keys: a JSON Web Key Set or one configured key. */
type KeySource =
  | ({ readonly jwksUri: string } & Omit<RemoteKeysOptions, 'uri' | 'clock'>)
  | { readonly publicKey: string }

export type AuthenticatorOptions = KeySource & Omit<TokenRules, 'clock'> & { readonly clock?: TokenRules['clock'] }

/** The parsed values of `authenticationSettings`. */
export type AuthenticationSettings = {
  readonly AUTH_JWKS_URI?: string | undefined
  readonly AUTH_PUBLIC_KEY?: string | undefined
  readonly AUTH_ISSUER: string
  readonly AUTH_AUDIENCE: string
  readonly AUTH_SUBSCRIBER_CLAIM: string
}

/** Creates the authenticator of a service. Keys are fetched when the first token arrives. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const clock = options.clock ?? systemClock
  const keys =
    'publicKey' in options
      ? createConfiguredKey(options.publicKey)
      : createRemoteKeys({ ...options, uri: options.jwksUri, clock })
  return createTokenVerification(keys, { ...options, clock })
}

/** Maps the settings of a service to the options of its authenticator. */
export function toAuthenticatorOptions(settings: AuthenticationSettings): AuthenticatorOptions {
  const rules = {
    issuer: settings.AUTH_ISSUER,
    audience: settings.AUTH_AUDIENCE,
    subscriberClaim: settings.AUTH_SUBSCRIBER_CLAIM,
  }
  if (settings.AUTH_JWKS_URI !== undefined) return { ...rules, jwksUri: settings.AUTH_JWKS_URI }
  if (settings.AUTH_PUBLIC_KEY !== undefined) return { ...rules, publicKey: settings.AUTH_PUBLIC_KEY }
  throw new Error('Authentication is not configured')
}
