import type { AskedWitness, WitnessAnswer } from '@herald/change-log'
import type { SubmissionPolicy } from './policy-file.ts'

/** Litewitness ends a request after 5 s. */
const answerMs = 10_000
/** A signature has some 200 bytes, and one of ML-DSA-44 some 3,400. */
const largestAnswer = 64 * 1024

type Address = Pick<SubmissionPolicy['witnesses'][number], 'name' | 'key' | 'url'>

/** Sends checkpoints to a witness (C2SP tlog-witness). */
export function createWitnessClient({ name, key, url }: Address, timeoutMs = answerMs): AskedWitness {
  return {
    name,
    key,
    async send(body, signal) {
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        const response = await fetch(`${url}/add-checkpoint`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
          // Followed, it would be a GET to an address that the policy does not have.
          redirect: 'manual',
          signal: AbortSignal.any([signal, timeout]),
        })
        return await readAnswer(response)
      } catch (error) {
        return unavailable(timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error))
      }
    },
  }
}

async function readAnswer(response: Response): Promise<WitnessAnswer> {
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    return unavailable(`${status}: a redirect, which is not followed`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop closes the connection.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > largestAnswer) return unavailable(`${status} with more than 64 KiB`)
    chunks.push(chunk)
  }
  return { kind: 'answered', status, body: Buffer.concat(chunks).toString() }
}

const unavailable = (reason: string): WitnessAnswer => ({ kind: 'unavailable', reason })

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: unknown; message?: unknown } }
  return String(cause?.code ?? cause?.message ?? message)
}
