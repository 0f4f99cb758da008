import { createHmac, createPublicKey, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createTokenIssuer, type TokenClaims, type TokenIssuer, type TokenOverrides } from '@herald/token-issuer'

export type InvalidToken = { name: string; make: () => Promise<string> | string | undefined }

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function claimsOf(tokens: TokenIssuer): Promise<object> {
  const [, payload = ''] = (await tokens.sign()).split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** An RSA key as a JWK, and tokens in the issuer's name that are signed with it. */
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
    /** Algorithm confusion: an HMAC token with the public key as its secret. */
    async confuse() {
      const signed = await unsigned('HS256')
      return `${signed}.${createHmac('sha256', publicPem).update(signed).digest('base64url')}`
    },
  }
}

/** Every kind of token that a service must reject when it trusts `tokens`. */
export function createInvalidTokens(tokens: () => TokenIssuer): InvalidToken[] {
  const signed =
    (claims: TokenClaims, overrides: TokenOverrides = {}) =>
    () =>
      tokens().sign(claims, overrides)
  const header = (alg: string) => base64({ alg, typ: 'JWT', kid: tokens().keyId })

  const withoutSignature = async (alg: string) => `${header(alg)}.${base64(await claimsOf(tokens()))}.`
  /** A token by another key under the trusted issuer's name and key id. */
  async function forged() {
    const { issuer, audience, keyId } = tokens()
    return (await createTokenIssuer({ issuer, audience, keyId })).sign()
  }
  /** Signed with an encoding of the public key as the HMAC secret. */
  async function confused(form: (pem: string) => string | Buffer) {
    const text = `${header('HS256')}.${base64(await claimsOf(tokens()))}`
    return `${text}.${createHmac('sha256', form(tokens().publicKeyPem)).update(text).digest('base64url')}`
  }
  async function relabelled() {
    const [, payload, signature] = (await tokens().sign()).split('.')
    return `${header('RS256')}.${payload}.${signature}`
  }
  async function modified() {
    const [head, , signature] = (await tokens().sign()).split('.')
    return `${head}.${base64({ ...(await claimsOf(tokens())), sub: randomUUID() })}.${signature}`
  }

  const invalid: Record<string, InvalidToken['make']> = {
    'no token': () => undefined,
    'a token that is not a JWT': () => 'garbage',
    'a token of three parts that are not base64url JSON': () => 'a.b.c',
    'an expired token': signed({}, { expiresIn: -60 }),
    'a token without expiry': signed({}, { expiresIn: null }),
    'a token that is not valid yet': signed({}, { notBefore: 90 }),
    'a token signed with another key': forged,
    'a token for another audience': signed({}, { audience: 'other' }),
    'a token from another issuer': signed({}, { issuer: 'https://other.invalid/' }),
    'a token with the algorithm none': () => withoutSignature('none'),
    'a token with the algorithm nOnE': () => withoutSignature('nOnE'),
    'a token without signature': () => withoutSignature('ES256'),
    'a token signed with the public key’s PEM': () => confused((pem) => pem),
    'a token signed with the public key’s PEM without the final newline': () => confused((pem) => pem.trimEnd()),
    'a token signed with the public key’s DER': () =>
      confused((pem) => createPublicKey(pem).export({ type: 'spki', format: 'der' })),
    'a token with another algorithm than its key’s': relabelled,
    'a token with modified claims': modified,
    'a token without subscriber_id': signed({ subscriber_id: undefined }),
    'a token with a subscriber_id that is not a UUID': signed({ subscriber_id: 'acme' }),
    'a token without sub': signed({ sub: undefined }),
    'a token with a sub that is not a UUID': signed({ sub: 'ada@mail.example' }),
  }
  return Object.entries(invalid).map(([name, make]) => ({ name, make }))
}
