import { bodyText } from './body-text.ts'
import type { Call, Http } from './http.ts'
import { jsonLines } from './json-lines.ts'

/** Maximum time between two chunks. */
const silenceMs = 60_000

/** Streams a response of newline-delimited JSON. Throws if the transfer breaks. */
export async function* transferLines<T>(
  { open }: Pick<Http, 'open'>,
  path: string,
  { signal }: Pick<Call, 'signal'>,
): AsyncGenerator<T, void, undefined> {
  yield* jsonLines<T>(bodyText(await open({ path, headers: { accept: 'application/x-ndjson' }, signal }), silenceMs))
}
