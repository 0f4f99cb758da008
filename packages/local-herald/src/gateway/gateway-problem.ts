import { type ErrorCode, type ErrorEntry, errorCodes } from '@herald/contracts'

/** Codes of the gateway itself, which the services never return. */
const gatewayCodes = {
  bad_gateway: { status: 502, title: 'Bad gateway' },
  gateway_timeout: { status: 504, title: 'Gateway timeout' },
} as const satisfies Record<string, ErrorEntry>

type GatewayCode = ErrorCode | keyof typeof gatewayCodes

const entries: Readonly<Record<GatewayCode, ErrorEntry>> = { ...errorCodes, ...gatewayCodes }

/** A problem document (RFC 9457) in the form of the services. */
export type GatewayProblem = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: GatewayCode
}

/** Returns the problem for a request that could not be forwarded. */
export function gatewayProblem(error: unknown, instance: string): GatewayProblem {
  const [code, detail] = describe(error)
  return { type: `urn:herald:problem:${code}`, ...entries[code], detail, instance, code }
}

function describe(error: unknown): [GatewayCode, string] {
  const { statusCode: status = 502 } = (error ?? {}) as { statusCode?: number }
  if (status === 504) return ['gateway_timeout', 'The service did not respond in time']
  if (status === 413) return ['body_too_large', 'The body exceeds the limit of the gateway']
  if (status >= 400 && status < 500) return ['invalid_request', 'The request could not be forwarded']
  return ['bad_gateway', 'The service is unavailable']
}
