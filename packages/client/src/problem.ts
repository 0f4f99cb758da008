import { type ErrorCode, HeraldProblem, type ValidationIssue } from './errors.ts'

/** Converts an error response to a `HeraldProblem`. */
export async function readProblem(response: Response): Promise<HeraldProblem> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false
  const body = (await response.text().then((text) => (isProblem ? JSON.parse(text) : {}))) as Record<string, unknown>
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : undefined)
  return new HeraldProblem({
    status: response.status,
    code: (text('code') as ErrorCode | undefined) ?? 'unknown',
    title: text('title') ?? response.statusText,
    detail: text('detail') ?? '',
    errors: Array.isArray(body.errors) ? (body.errors as ValidationIssue[]) : [],
    requestId: text('instance') ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
  })
}

/** `Retry-After` in milliseconds from `now`: seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterMs(field: string | null, now: number): number | undefined {
  if (field === null) return undefined
  const milliseconds = /^\d+$/.test(field.trim()) ? Number(field) * 1_000 : Date.parse(field) - now
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}
