import { createHmac, createPublicKey, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createTokenIssuer, type TokenClaims, type TokenIssuer, type TokenOverrides } from '@herald/local-stack'

export type WrongToken = { what: string; make: () => Promise<string> | string | undefined }

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function claimsOf(tokens: TokenIssuer): Promise<object> {
  const [, payload = ''] = (await tokens.sign()).split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** A key of RSA, as a set of keys has it, and tokens of the issuer's name that are signed with it, by whatever algorithm. */
export function createRsaKey(tokens: TokenIssuer) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = randomUUID()
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  const unsigned = async (alg: string) => `${base64({ alg, typ: 'JWT', kid })}.${base64(await claimsOf(tokens))}`
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' },
    async sign() {
      const signed = await unsigned('RS256')
      return `${signed}.${createSign('SHA256').update(signed).sign(privateKey, 'base64url')}`
    },
    /** Signed with the public key as if it were a shared secret. */
    async confuse() {
      const signed = await unsigned('HS256')
      return `${signed}.${createHmac('sha256', publicPem).update(signed).digest('base64url')}`
    },
  }
}

/** Every kind of token that must be refused by who trusts `tokens`. */
export function createWrongTokens(tokens: () => TokenIssuer): WrongToken[] {
  const signed =
    (claims: TokenClaims, overrides: TokenOverrides = {}) =>
    () =>
      tokens().sign(claims, overrides)
  const header = (alg: string) => base64({ alg, typ: 'JWT', kid: tokens().keyId })

  const withoutSignature = async (alg: string) => `${header(alg)}.${base64(await claimsOf(tokens()))}.`
  /** Another issuer that claims to be the trusted one: same name, same key id, another key. */
  async function forged() {
    const { issuer, audience, keyId } = tokens()
    return (await createTokenIssuer({ issuer, audience, keyId })).sign()
  }
  /** The public key, in each form in which somebody could have taken it for a secret. */
  async function confused(form: (pem: string) => string | Buffer) {
    const text = `${header('HS256')}.${base64(await claimsOf(tokens()))}`
    return `${text}.${createHmac('sha256', form(tokens().publicKeyPem)).update(text).digest('base64url')}`
  }
  async function relabelled() {
    const [, payload, signature] = (await tokens().sign()).split('.')
    return `${header('RS256')}.${payload}.${signature}`
  }
  async function changed() {
    const [head, , signature] = (await tokens().sign()).split('.')
    return `${head}.${base64({ ...(await claimsOf(tokens())), sub: randomUUID() })}.${signature}`
  }

  const wrong: Record<string, WrongToken['make']> = {
    'no token': () => undefined,
    garbage: () => 'garbage',
    'three parts of garbage': () => 'a.b.c',
    'an expired token': signed({}, { expiresIn: -60 }),
    'a token that never expires': signed({}, { expiresIn: null }),
    'a token that is not valid yet': signed({}, { notBefore: 90 }),
    'a token of a foreign key': forged,
    'a token for another audience': signed({}, { audience: 'other' }),
    'a token of another issuer': signed({}, { issuer: 'https://other.invalid/' }),
    'a token whose algorithm is none': () => withoutSignature('none'),
    'a token whose algorithm is nOnE': () => withoutSignature('nOnE'),
    'a token without its signature': () => withoutSignature('ES256'),
    'a token signed with the public key’s PEM': () => confused((pem) => pem),
    'a token signed with the public key’s PEM without its last line break': () => confused((pem) => pem.trimEnd()),
    'a token signed with the public key’s bytes': () =>
      confused((pem) => createPublicKey(pem).export({ type: 'spki', format: 'der' })),
    'a token that says another algorithm than its key’s': relabelled,
    'a token whose claims were changed': changed,
    'a token without a subscriber': signed({ subscriber_id: undefined }),
    'a token whose subscriber is no UUID': signed({ subscriber_id: 'acme' }),
    'a token without a sub': signed({ sub: undefined }),
    'a token whose sub is no UUID': signed({ sub: 'ada@mail.example' }),
  }
  return Object.entries(wrong).map(([what, make]) => ({ what, make }))
}
