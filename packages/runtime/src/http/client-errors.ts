import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { getBuiltinModule } from 'node:process'
import type { ErrorCode } from '@herald/contracts'
import type { Logger } from '../logging/logger.ts'
import { problem, problemContentType, toProblemDocument } from './problem.ts'

// An import would read all exports of `node:http`, and that of `WebSocket` loads undici: 40 ms and 13 MiB.
const { STATUS_CODES } = getBuiltinModule('node:http')

type ClientError = Error & { readonly code?: string }

const problems: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'Request timeout'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'Request header fields too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'Chunk extensions are too large'],
}

/** Responds to input that Node.js cannot parse. No route or hook sees it: the response is written to the socket. */
export function createClientErrorHandler(logger: Pick<Logger, 'debug'>) {
  return function respondToClientError(error: ClientError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    // Only the code: the error contains the whole packet, including the token.
    logger.debug({ code: error.code }, 'Could not parse a request')
    if (socket.writable && !isResponding(socket)) socket.write(toResponse(error))
    socket.destroySoon()
  }
}

// A second response within one that has begun would be read as part of its body.
function isResponding(socket: Socket & { readonly _httpMessage?: { readonly headersSent?: boolean } }): boolean {
  return socket._httpMessage?.headersSent === true
}

function toResponse(error: ClientError): string {
  const [code, detail] = problems[error.code ?? ''] ?? ['invalid_request', 'The request is not HTTP']
  const requestId = randomUUID()
  const sent = problem(code, detail)
  const body = JSON.stringify(toProblemDocument(sent, requestId))
  const fields = [`content-type: ${problemContentType}`, `x-request-id: ${requestId}`, 'cache-control: no-store']
  const head = [`HTTP/1.1 ${sent.status} ${STATUS_CODES[sent.status]}`, ...fields, 'connection: close']
  return [...head, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')
}
