import { operations } from '@herald/contracts'
import { type Budget, type HttpServer, routeOptions, takeOrThrow } from '@herald/runtime'
import type { ChangeEntries, ExportFormat } from '@herald/store'
import accepts from 'accepts'
import { openTransfer } from './transfer.ts'

export type ChangeEntryRoutesDependencies = {
  readonly changeEntries: Pick<ChangeEntries, 'of'>
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
export function addChangeEntryRoutes(app: HttpServer, { changeEntries, exports }: ChangeEntryRoutesDependencies): void {
  app.get('/change-entries', routeOptions(operations.listChangeEntries), async ({ identity, query }, reply) => {
    const { cursor, limit, ...filters } = query
    const log = changeEntries.of(identity.subscriberId, identity.userId)
    return reply.type(defaultFormat.contentType).send(await log.list({ ...filters, before: cursor }, limit))
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
    const leave = takeOrThrow(exports, identity, 1)
    reply.raw.once('close', leave)
    if (reply.raw.closed) {
      leave()
      return reply
    }
    const pieces = changeEntries.of(identity.subscriberId, identity.userId).export(query, format)
    return setHeaders().send(await openTransfer(pieces, { useGzip }))
  })
}
