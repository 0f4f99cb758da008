// Serves oidc-provider as the guide configures it, gets tokens from it, and prints them. usage: node oidc-provider.mjs PORT FOLDER
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const [port, folder] = process.argv.slice(2)
const { default: Provider } = await import(pathToFileURL(createRequire(`${folder}/`).resolve('oidc-provider')).href)
const issuer = `http://127.0.0.1:${port}`
const scope = 'notifications:create change-entries:read'
const secret = 'a-secret-of-a-test'

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'app',
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope,
        audience: 'herald',
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  extraTokenClaims: () => ({
    user_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    subscriber_id: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
  }),
})

async function requestToken(fields) {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'app',
    client_secret: secret,
    ...fields,
  })
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()).access_token
}

provider.listen(Number(port), '127.0.0.1', async () => {
  const discovery = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()
  const token = await requestToken({ resource: 'https://herald.example', scope })
  const opaque = await requestToken({})
  process.stdout.write(`${JSON.stringify({ issuer: discovery.issuer, keys: discovery.jwks_uri, token, opaque })}\n`)
})
