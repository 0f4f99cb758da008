export { type IssuerServer, startIssuerServer } from './issuer-server.ts'
export { connectTokenIssuer } from './remote-token-issuer.ts'
export {
  createTokenIssuer,
  type TokenClaims,
  type TokenIssuer,
  type TokenIssuerOptions,
  type TokenOverrides,
} from './token-issuer.ts'
