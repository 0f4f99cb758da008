/** An HTTP response with its whole body. `json` is `undefined` when the body is not JSON. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown }

export type Request = {
  method?: string
  token?: string | undefined
  headers?: Record<string, string>
  /** Sent as JSON, with its content type. */
  json?: unknown
  /** Sent unchanged and without a content type. */
  raw?: string | Uint8Array | ReadableStream<Uint8Array>
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function send(
  url: string,
  { method = 'GET', token, headers = {}, json, raw }: Request = {},
): Promise<Answer> {
  const body = json === undefined ? raw : JSON.stringify(json)
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // As bytes: fetch adds a content type to a string.
    ...(body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(body) : body, duplex: 'half' }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: parse(text) }
}
