import process from 'node:process'
import { startIssuerServer } from './issuer-server.ts'
import { createTokenIssuer } from './token-issuer.ts'

const { HOST = '127.0.0.1', PORT = '8081', ISSUER, AUDIENCE } = process.env
const issuer = await createTokenIssuer({
  ...(ISSUER ? { issuer: ISSUER } : {}),
  ...(AUDIENCE ? { audience: AUDIENCE } : {}),
})
const server = await startIssuerServer(issuer, { host: HOST, port: Number(PORT) })
process.stdout.write(`Issuing development tokens as ${issuer.issuer} on port ${server.port}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop())
