import type { ChangeEntries, ExportFormat, RecordedLog, RecordedPage } from '@herald/change-log'
import { operations } from '@herald/contracts'
import {
  type Budget,
  type HttpServer,
  holdWhileOpen,
  invalidRequest,
  problem,
  retryLater,
  routeOptions,
} from '@herald/runtime'
import accepts from 'accepts'
import { openTransfer } from './transfer.ts'

export type ChangeEntryRoutesDependencies = {
  readonly changeEntries: Pick<ChangeEntries, 'of'>
  readonly recordedLog: Pick<RecordedLog, 'of'>
  readonly exports: Budget
}

type MediaType = { readonly format: ExportFormat; readonly contentType: string }

const defaultFormat: MediaType = { format: 'json', contentType: 'application/json; charset=utf-8' }

const exportFormats: Readonly<Record<string, MediaType>> = {
  'application/json': defaultFormat,
  'application/x-ndjson': { format: 'ndjson', contentType: 'application/x-ndjson; charset=utf-8' },
  'text/csv': { format: 'csv', contentType: 'text/csv; charset=utf-8; header=present' },
}

/** Serves the change log of the current subscriber: all of it (specification 4.4), or in pages. */
export function addChangeEntryRoutes(app: HttpServer, dependencies: ChangeEntryRoutesDependencies): void {
  const { changeEntries, recordedLog, exports } = dependencies
  app.get('/change-entries', routeOptions(operations.listChangeEntries), async ({ identity, query }, reply) => {
    const { subscriberId, userId } = identity
    const { order, cursor, limit, ...filters } = query
    reply.type(defaultFormat.contentType)
    if (order === 'recorded') {
      const page = await recordedLog.of(subscriberId, userId).read({ ...filters, cursor, limit })
      return reply.send(bodyOf(page))
    }
    const log = changeEntries.of(subscriberId, userId)
    return reply.send(await log.list({ ...filters, before: cursor?.toLowerCase() }, limit))
  })

  app.get('/change-entries/all', routeOptions(operations.listAllChangeEntries), async (request, reply) => {
    const { identity, method, query, raw } = request
    const accepted = accepts(raw)
    const mediaType = accepted.type(Object.keys(exportFormats))
    const { format, contentType } = exportFormats[String(mediaType)] ?? defaultFormat
    const useGzip = accepted.encoding(['gzip', 'identity']) === 'gzip'
    const setHeaders = () => {
      if (useGzip) reply.header('content-encoding', 'gzip')
      return reply.header('vary', 'Accept, Accept-Encoding').type(contentType)
    }
    if (method === 'HEAD') return setHeaders().send()
    if (!holdWhileOpen(reply, exports, identity, 1)) return reply
    const pieces = changeEntries.of(identity.subscriberId, identity.userId).export(query, format)
    return setHeaders().send(await openTransfer(pieces, { useGzip }))
  })
}

/** @throws HttpProblem if there is no page */
function bodyOf(page: RecordedPage): Buffer {
  switch (page.kind) {
    case 'page':
      return page.body
    case 'not-ready':
      throw problem('order_not_ready', 'No sequencer has run yet', { headers: retryLater })
    case 'invalid-cursor':
      throw invalidRequest([{ pointer: '/cursor', detail: 'Must be a cursor of this log' }])
    case 'cursor-expired':
      throw problem(
        'cursor_expired',
        'Entries behind this cursor may have expired, or are not the ones that were read; begin without a cursor',
      )
  }
}
