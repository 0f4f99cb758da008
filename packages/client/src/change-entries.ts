import type {
  ChangeEntry,
  ChangeEntryPage as ChangeEntryPageResponse,
  ExportChangeEntriesQuery,
  ListChangeEntriesQuery,
} from './contract-types.ts'
import { followPages } from './follow-pages.ts'
import type { CallOptions, Http } from './http.ts'
import { pages } from './pages.ts'
import { queryString } from './query-string.ts'
import { createSealedLog } from './sealed-log.ts'
import { transferLines } from './transfer-lines.ts'

export type ChangeEntryFilters = Readonly<ExportChangeEntriesQuery>

/** These filters, `limit` (1 to 100, default 20) and `cursor`, the `nextCursor` of the previous page. */
export type ChangeEntryQuery = Readonly<ListChangeEntriesQuery>

export type ChangeEntryPage = ChangeEntryPageResponse['data']

export type FollowChangesOptions = CallOptions &
  ChangeEntryFilters & {
    /** Where to continue: the `cursor` of the last page that was processed. Begins with the first entry if unset. */
    readonly cursor?: string | undefined
  }

const mediaTypes = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const

export type ExportFormat = keyof typeof mediaTypes

export type ChangeEntries = ReturnType<typeof createChangeEntries>

export type ChangeEntriesDependencies = { readonly http: Pick<Http, 'json' | 'open'> }

/** The current subscriber's change log (scope `change-entries:read`), newest first. */
export function createChangeEntries({ http }: ChangeEntriesDependencies) {
  const list = (query: ChangeEntryQuery = {}, { signal }: CallOptions = {}) =>
    http.json<ChangeEntryPage>({ path: `/change-entries${queryString(query)}`, signal })

  return {
    list,
    /** All entries, page by page; each page is retried separately. */
    iterate: (query: Omit<ChangeEntryQuery, 'order'> = {}, options: CallOptions = {}) =>
      pages(query.cursor, async (cursor) => {
        const { changeEntries, nextCursor } = await list({ limit: 100, ...query, cursor }, options)
        return { items: changeEntries, nextCursor }
      }),
    /**
     * Follows the log in recorded order, for ever: yields each page that has entries, or a new cursor, and waits for the next.
     * None appears behind a cursor that was yielded. Restarts of Herald, outages and rate limits are waited for; throws when
     * `signal` aborts, and `HeraldProblem` for what does not pass: the token is rejected, or the cursor has expired (410).
     */
    followChanges: ({ cursor, signal, ...filters }: FollowChangesOptions = {}) =>
      followPages({
        cursor,
        signal,
        read: (after) => list({ ...filters, order: 'recorded', limit: 100, cursor: after }, { signal }),
      }),
    /** Streams all entries in one transfer. Throws if the transfer breaks, because the log is then incomplete. */
    all: (filters: ChangeEntryFilters = {}, options: CallOptions = {}) =>
      transferLines<ChangeEntry>(http, `/change-entries/all${queryString(filters)}`, options),
    /**
     * All entries as a file: a response to read with `blob()`, `text()` or `body`. Reading it rejects if the transfer breaks.
     */
    async export(
      format: ExportFormat,
      filters: ChangeEntryFilters = {},
      { signal }: CallOptions = {},
    ): Promise<Response> {
      const path = `/change-entries/all${queryString(filters)}`
      const { response, deadline } = await http.open({ path, headers: { accept: mediaTypes[format] }, signal })
      deadline.stop()
      return response
    },
    ...createSealedLog({ http }),
  }
}
