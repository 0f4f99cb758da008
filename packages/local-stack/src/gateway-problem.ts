/** A problem document (RFC 9457) in the form of the services. */
export type GatewayProblem = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: string
}

/** Returns the problem for a request that could not be forwarded. */
export function gatewayProblem(error: unknown, instance: string): GatewayProblem {
  const status = statusOf(error)
  if (status === 504) {
    return problem(504, 'gateway_timeout', 'Gateway timeout', 'The service did not respond in time', instance)
  }
  if (status === 413) {
    return problem(
      413,
      'body_too_large',
      'Request body too large',
      'The body exceeds the limit of the gateway',
      instance,
    )
  }
  if (status === 431) {
    return problem(
      431,
      'headers_too_large',
      'Request header fields too large',
      'The request header fields are too large',
      instance,
    )
  }
  if (status === 408) {
    return problem(408, 'request_timeout', 'Request timeout', 'The request took too long to arrive', instance)
  }
  if (status >= 400 && status < 500) {
    return problem(status, 'invalid_request', 'Bad request', 'The request could not be forwarded', instance)
  }
  return problem(502, 'bad_gateway', 'Bad gateway', 'The service is unavailable', instance)
}

function problem(status: number, code: string, title: string, detail: string, instance: string): GatewayProblem {
  return { type: `urn:herald:problem:${code}`, title, status, detail, instance, code }
}

function statusOf(error: unknown) {
  const { statusCode } = (error ?? {}) as { statusCode?: number }
  return statusCode ?? 502
}
