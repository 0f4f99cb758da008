import { type KeySet, toKeySet } from './key-set.ts'

/** A key set has a few keys; some have certificates. */
const largestSet = 1024 * 1024

/**
 * Fetches a JSON Web Key Set.
 *
 * @throws Error whose message names the address and what it answered
 */
export async function fetchKeySet(uri: string, timeoutMs: number): Promise<KeySet> {
  const at = nameOf(uri)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(uri, {
      headers: { accept: 'application/json, application/jwk-set+json' },
      // A redirect could lead to keys of somebody else, and is usually one to a page for people.
      redirect: 'manual',
      signal,
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new UnexpectedAnswer(`${at} answered ${describeStatus(response, uri)}`)
    }
    return await readKeySet(response, at)
  } catch (error) {
    if (error instanceof UnexpectedAnswer) throw error
    if (signal.aborted) throw new Error(`${at} did not answer within ${timeoutMs} ms`)
    throw new Error(`${at} could not be reached (${reasonOf(error)})`)
  }
}

class UnexpectedAnswer extends Error {}

async function readKeySet(response: Response, at: string): Promise<KeySet> {
  const text = await readText(response, at)
  try {
    return toKeySet(JSON.parse(text))
  } catch {
    const type = response.headers.get('content-type')?.slice(0, 100) ?? 'no content type'
    throw new UnexpectedAnswer(`${at} answered 200 without a JSON Web Key Set (${type})`)
  }
}

async function readText(response: Response, at: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > largestSet) throw new UnexpectedAnswer(`${at} answered with more than ${largestSet} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function describeStatus({ status, headers }: Response, uri: string): string {
  const location = headers.get('location')
  if (location === null || !URL.canParse(location, uri)) return String(status)
  return `${status}, a redirect to ${nameOf(new URL(location, uri).href)}, which is not followed`
}

/** Without a query, which may hold a secret. */
function nameOf(uri: string): string {
  const { origin, pathname } = new URL(uri)
  return `${origin}${pathname}`
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: unknown; message?: unknown } }
  return String(cause?.code ?? cause?.message ?? message)
}
