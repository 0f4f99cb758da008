import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { JWTPayload } from 'jose'
import { authenticationSettings } from './authentication-settings.ts'
import { createAuthenticator } from './authenticator.ts'
import { at, audience, clock, publicKeySetting, rsa, rules, signToken, subscriberId, userId } from './tokens.fixture.ts'

const settings = { ...rules, ...publicKeySetting(rsa.publicKey) }
const { authenticate } = createAuthenticator(settings, { clock })
const authenticateToken = (token: string) => authenticate([`Bearer ${token}`])

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a valid token', () => {
  test('yields the identity, with UUIDs of any version in lower case', async () => {
    const claims = { name: 'Ada', picture: 'https://x.example/a.png', scope: 'a b', actor_type: 'ai user' }
    expect(await authenticateToken(await signToken(claims))).toEqual({
      ok: true,
      identity: {
        userId: userId.toLowerCase(),
        subscriberId,
        name: 'Ada',
        picture: 'https://x.example/a.png',
        actorType: 'ai user',
        scopes: new Set(['a', 'b']),
        expiresAt: new Date(at(600) * 1000),
      },
    })
  })

  test('may lack name, picture, scope and actor type', async () => {
    const { identity } = await expectAccepted({})
    expect(identity).toMatchObject({ name: '', picture: '', actorType: 'user', scopes: new Set() })
  })

  test.each([
    [{ name: 1, picture: ['a'], scope: ['a', 1] }],
    [{ name: 'a'.repeat(201), picture: 'a'.repeat(2_049), scope: { a: 1 } }],
    [{ name: '\ud800', picture: null, scope: '  ' }],
  ])('with %j yields empty name, picture and scopes', async (claims) => {
    const { identity } = await expectAccepted(claims)
    expect(identity).toMatchObject({ name: '', picture: '', scopes: new Set() })
  })

  test.each([
    ['that has just expired', { exp: at(-29) }],
    ['that is valid within the tolerance', { nbf: at(29) }],
    ['with several audiences', { aud: ['other', audience] }],
  ])('%s is accepted', async (_name, claims) => void (await expectAccepted(claims)))

  test('is accepted with the scheme in any case', async () => {
    expect(await authenticate([`bEARER ${await signToken()}`])).toMatchObject({ ok: true })
  })
})

describe('the type of a token', () => {
  test.each([undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt', 'Application/JWT'])(
    '%s is accepted',
    async (typ) => {
      expect(await authenticateToken(await signToken({}, { typ }))).toMatchObject({ ok: true })
    },
  )

  test.each(['logout+jwt', 'application/logout+jwt', 'secevent+jwt', 'dpop+jwt', 'id+jwt', ''])(
    '"%s" is rejected',
    async (typ) => {
      const detail = 'The claim typ is not accepted'
      expect(await authenticateToken(await signToken({}, { typ }))).toEqual({ ok: false, reason: 'invalid', detail })
    },
  )

  test('can be another one for other issuers', async () => {
    const other = createAuthenticator({ ...settings, AUTH_TOKEN_TYPES: ['application/acme+jwt'] }, { clock })
    expect(await other.authenticate([`Bearer ${await signToken({}, { typ: 'ACME+jwt' })}`])).toMatchObject({ ok: true })
    expect(await other.authenticate([`Bearer ${await signToken({}, { typ: 'JWT' })}`])).toMatchObject({ ok: false })
  })
})

describe('rejects a token', () => {
  test.each([
    ['from another issuer', { iss: 'https://other.example' }],
    ['without an issuer', { iss: undefined }],
    ['for another audience', { aud: 'other' }],
    ['without an audience', { aud: undefined }],
    ['that has expired', { exp: at(-31) }],
    ['that never expires', { exp: undefined }],
    ['whose expiry is no date', { exp: 1e300 }],
    ['that is not valid yet', { nbf: at(31) }],
    ['without a user', { sub: undefined }],
    ['whose user is not a UUID', { sub: 'ada' }],
    ['whose user is a UUID and more', { sub: `${userId}\n` }],
    ['without a subscriber', { subscriber_id: undefined }],
    ['whose subscriber is not a UUID', { subscriber_id: 'acme' }],
    ['whose subscriber is a list', { subscriber_id: [subscriberId, subscriberId] }],
    ['of an unknown actor type', { actor_type: 'admin' }],
    ['whose actor type is null', { actor_type: null }],
  ])('%s', async (_name, claims) => {
    expect(await authenticateToken(await signToken(claims as JWTPayload))).toMatchObject({
      ok: false,
      reason: 'invalid',
    })
  })

  test('signed with another key', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    expect(await authenticateToken(await signToken({}, { key: other }))).toMatchObject({ ok: false, reason: 'invalid' })
  })

  test('without a signature', async () => {
    const { identity: _, ...claims } = { ...JSON.parse(atob((await signToken()).split('.')[1] ?? '')), identity: 0 }
    for (const alg of ['none', 'None', 'NONE']) {
      const token = `${encode({ alg })}.${encode(claims)}.`
      expect(await authenticateToken(token)).toMatchObject({ ok: false, reason: 'invalid' })
    }
  })

  test('that uses the public key as a shared secret', async () => {
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const token = await signToken({}, { alg, key: Buffer.from(pem) })
      expect(await authenticateToken(token)).toMatchObject({ ok: false, reason: 'invalid' })
    }
  })

  test('with an algorithm of another key type', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const token = await signToken({}, { alg: 'ES256', key: privateKey })
    expect(await authenticateToken(token)).toMatchObject({ detail: 'The algorithm is not allowed' })
  })

  test('with an unknown critical header', async () => {
    const head = encode({ alg: 'RS256', crit: ['x'], x: 1 })
    const body = (await signToken()).split('.')[1]
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), rsa.privateKey).toString('base64url')
    expect(await authenticateToken(`${head}.${body}.${signature}`)).toMatchObject({ ok: false, reason: 'invalid' })
  })

  test.each([
    'x',
    'a.b.c',
    '..',
    'a.b',
    'a.b.c.d.e',
    `${encode({})}.${encode({})}.`,
    `${encode(null)}.${encode([])}.a`,
  ])('that is malformed: %s', async (token) =>
    expect(await authenticateToken(token)).toMatchObject({ ok: false, reason: 'invalid' }),
  )

  test('without quoting it in the detail', async () => {
    const token = await signToken({ iss: 'https://other.example', secret: 'hush' })
    expect(JSON.stringify(await authenticateToken(token))).not.toMatch(/other|hush|eyJ/)
  })
})

describe('the Authorization header', () => {
  test.each([[[]], [['Basic dXNlcjpwYXNz']], [['Token x']], [['']]])('%j counts as absent', async (values) => {
    expect(await authenticate(values)).toMatchObject({ ok: false, reason: 'absent' })
  })

  test('is rejected when sent twice, even with valid tokens', async () => {
    const value = `Bearer ${await signToken()}`
    expect(await authenticate([value, value])).toMatchObject({ ok: false, reason: 'invalid' })
  })

  test('is rejected with more than one token or none', async () => {
    const token = await signToken()
    for (const value of ['Bearer', 'Bearer ', `Bearer ${token} ${token}`, `Bearer ${token}, x`, `Bearer\t${token}`]) {
      expect(await authenticate([value])).toMatchObject({ ok: false })
    }
  })
})

test('accepts each type of configured key with its own algorithms', async () => {
  for (const [type, options, algorithms] of [
    ['rsa', { modulusLength: 2048 }, ['RS512', 'PS256']],
    ['ec', { namedCurve: 'P-256' }, ['ES256']],
    ['ec', { namedCurve: 'P-384' }, ['ES384']],
    ['ec', { namedCurve: 'P-521' }, ['ES512']],
    ['ed25519', {}, ['EdDSA', 'Ed25519']],
  ] as const) {
    const pair = generateKeyPairSync(type as 'rsa', options as { modulusLength: number })
    const configured = createAuthenticator({ ...rules, ...publicKeySetting(pair.publicKey) }, { clock })
    for (const alg of algorithms) {
      const token = await signToken({}, { alg, key: pair.privateKey })
      expect(await configured.authenticate([`Bearer ${token}`])).toMatchObject({ ok: true })
    }
  }
})

describe('the claims of users, subscribers and scopes', () => {
  const authenticateWith = async (claimSettings: object, claims: object) => {
    const configured = createAuthenticator({ ...settings, ...claimSettings }, { clock })
    return configured.authenticate([`Bearer ${await signToken(claims as JWTPayload)}`])
  }
  const user = '33333333-3333-4333-8333-333333333333'
  const scopes = new Set(['notifications:create', 'change-entries:read'])
  const wanted = [...scopes]

  // As the access tokens of these providers have them.
  test.each<[string, object, object, object]>([
    [
      'Entra',
      { AUTH_USER_CLAIM: 'oid', AUTH_SCOPE_CLAIM: 'scp' },
      { sub: 'AAAA-b_c', oid: user, scp: wanted.join(' ') },
      { userId: user, scopes },
    ],
    [
      'Auth0',
      {
        AUTH_USER_CLAIM: 'https://acme.example/user',
        AUTH_SUBSCRIBER_CLAIM: 'https://acme.example/tenant',
        AUTH_SCOPE_CLAIM: 'permissions',
      },
      {
        sub: 'auth0|64af',
        subscriber_id: undefined,
        scope: 'openid',
        'https://acme.example/user': user,
        'https://acme.example/tenant': subscriberId,
        permissions: wanted,
      },
      { userId: user, subscriberId, scopes },
    ],
    ['Okta', { AUTH_SCOPE_CLAIM: 'scp' }, { scp: wanted }, { scopes }],
    ['Spring Authorization Server', {}, { scope: wanted }, { scopes }],
    [
      'a mapper of Keycloak for several values',
      {},
      { sub: [user], subscriber_id: [subscriberId], scope: [wanted.join(' ')] },
      { userId: user, subscriberId, scopes },
    ],
    [
      'organizations of Keycloak',
      { AUTH_SUBSCRIBER_CLAIM: '/organization/*/id' },
      { subscriber_id: undefined, organization: { 'a/b': { id: [subscriberId] } } },
      { subscriberId },
    ],
    [
      'a list of organizations',
      { AUTH_SUBSCRIBER_CLAIM: '/orgs/*/id' },
      { orgs: [{ id: subscriberId }] },
      { subscriberId },
    ],
    [
      'Supabase',
      { AUTH_SUBSCRIBER_CLAIM: '/app_metadata/subscriber_id' },
      { app_metadata: { subscriber_id: subscriberId } },
      { subscriberId },
    ],
    [
      'names with / and ~',
      { AUTH_SUBSCRIBER_CLAIM: '/a~1b/c~0d' },
      { 'a/b': { 'c~d': subscriberId } },
      { subscriberId },
    ],
  ])('are found: %s', async (_name, claimSettings, claims, expected) => {
    expect(await authenticateWith(claimSettings, claims)).toMatchObject({ ok: true, identity: expected })
  })

  const missing = { AUTH_SUBSCRIBER_CLAIM: 'org_id' }
  const organizations = { AUTH_SUBSCRIBER_CLAIM: '/organization/*/id' }
  test.each<[object, object, string]>([
    [missing, {}, 'The claim org_id is missing'],
    [{ AUTH_SUBSCRIBER_CLAIM: 'constructor' }, {}, 'The claim constructor is missing'],
    [missing, { org_id: [1, 2, 3] }, 'The claim org_id is a list of 3'],
    [missing, { org_id: [] }, 'The claim org_id is a list of 0'],
    [missing, { org_id: [{}] }, 'The claim org_id is a list of 1'],
    [missing, { org_id: { id: subscriberId } }, 'The claim org_id is an object'],
    [missing, { org_id: 'org_AbC' }, 'The claim org_id is not a UUID'],
    [missing, { org_id: 7 }, 'The claim org_id is a number'],
    [missing, { org_id: null }, 'The claim org_id is null'],
    [organizations, { organization: {} }, 'The claim /organization/*/id is missing'],
    [organizations, { organization: 'acme' }, 'The claim /organization/*/id is missing'],
    [organizations, { organization: ['acme'] }, 'The claim /organization/*/id is missing'],
    [
      organizations,
      { organization: { a: {}, b: {} } },
      'The claim /organization/*/id has no single value: /organization has 2 members',
    ],
    [{ AUTH_USER_CLAIM: 'oid' }, {}, 'The claim oid is missing'],
    [{}, { sub: 'auth0|64af' }, 'The claim sub is not a UUID'],
    [{}, { aud: undefined }, 'The claim aud is missing'],
    [{}, { aud: 'account' }, 'The claim aud is not accepted'],
  ])('that are not found are named with their fault: %j, %j', async (claimSettings, claims, detail) => {
    expect(await authenticateWith(claimSettings, claims)).toEqual({ ok: false, reason: 'invalid', detail })
  })

  test.each([
    [{ scope: undefined }, 'the claim scope is missing'],
    [{ scope: { a: true } }, 'the claim scope is an object'],
    [{ scope: ['a', 1] }, 'the claim scope is a list with values that are no texts'],
    [{ scope: true }, 'the claim scope is a boolean'],
  ])('scopes of another form are none, and the fault is known: %j', async (claims, scopeFault) => {
    expect(await authenticateWith({}, claims)).toMatchObject({ identity: { scopes: new Set(), scopeFault } })
  })

  test('a pointer that is none stops the start', () => {
    const { AUTH_USER_CLAIM: setting } = authenticationSettings
    expect(setting.safeParse('/a~2').success).toBe(false)
    for (const text of ['sub', 'a~b', 'https://acme.example/~user', '/a~0/~1']) expect(setting.parse(text)).toBe(text)
  })
})

test.each([
  [
    'an opaque token',
    'ory_at_x2-Yz',
    'The token is opaque, not a JWT; the provider issues a JWT when it is asked for one for this audience',
  ],
  [
    'a signed session',
    'abc.def',
    'The token is opaque, not a JWT; the provider issues a JWT when it is asked for one for this audience',
  ],
  ['an encrypted token', 'a..b.c.d', 'The token is encrypted (JWE); a signed one (JWS) is required'],
  ['a broken token', 'a.b.c', 'The token is malformed'],
  ['secp256k1', `${encode({ alg: 'ES256K' })}.${encode({})}.a`, 'The algorithm ES256K is not supported'],
  ['a shared secret', `${encode({ alg: 'HS256' })}.${encode({})}.a`, 'The algorithm is not allowed'],
])('says what is wrong with %s', async (_name, token, detail) => {
  expect(await authenticateToken(token)).toEqual({ ok: false, reason: 'invalid', detail })
})

async function expectAccepted(claims: JWTPayload) {
  const authentication = await authenticateToken(await signToken(claims))
  if (!authentication.ok) throw new Error(`Refused: ${JSON.stringify(authentication)}`)
  return authentication
}
