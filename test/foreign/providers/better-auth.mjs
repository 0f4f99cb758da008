// Serves Better Auth as the guide configures it, gets tokens from it, and prints them. usage: node better-auth.mjs PORT FOLDER
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const [port, folder] = process.argv.slice(2)
const { resolve } = createRequire(`${folder}/`)
const load = (name) => import(pathToFileURL(resolve(name)).href)
const [{ betterAuth }, { jwt }, { memoryAdapter }, { toNodeHandler }] = await Promise.all(
  ['better-auth', 'better-auth/plugins', 'better-auth/adapters/memory', 'better-auth/node'].map(load),
)
const issuer = `http://127.0.0.1:${port}`

const auth = betterAuth({
  baseURL: issuer,
  secret: randomUUID() + randomUUID(),
  database: memoryAdapter({ user: [], session: [], account: [], verification: [], jwks: [] }),
  emailAndPassword: { enabled: true },
  advanced: { database: { generateId: () => randomUUID() } },
  plugins: [
    jwt({
      jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } },
      jwt: {
        issuer,
        audience: 'herald',
        expirationTime: '15m',
        definePayload: ({ user }) => ({
          name: user.name,
          subscriber_id: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
          scope: ['notifications:create', 'change-entries:read'],
        }),
      },
    }),
  ],
})

createServer(toNodeHandler(auth)).listen(Number(port), '127.0.0.1', async () => {
  const signUp = await fetch(`${issuer}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: issuer },
    body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: randomUUID() }),
  })
  if (!signUp.ok) throw new Error(await signUp.text())
  const cookie = signUp.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const answer = await fetch(`${issuer}/api/auth/token`, { headers: { cookie } })
  if (!answer.ok) throw new Error(await answer.text())
  const { token: opaque } = await signUp.json()
  const { token } = await answer.json()
  process.stdout.write(`${JSON.stringify({ issuer, keys: `${issuer}/api/auth/jwks`, token, opaque })}\n`)
})
