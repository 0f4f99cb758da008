import { operations } from '@herald/contracts'
import { type HttpServer, problem, routeOptions } from '@herald/runtime'
import type { ChangeEntries } from '@herald/store'
import accepts from 'accepts'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import { defaultFormat, exportFormats } from './export-formats.ts'
import { openTransfer } from './transfer.ts'

export type ChangeEntryRoutesDependencies = {
  readonly changeEntries: Pick<ChangeEntries, 'of'>
  readonly exports: ConcurrencyLimit
}

/** Serves the change log of the current subscriber: all of it (specification 4.4), or in pages. */
export function addChangeEntryRoutes(app: HttpServer, { changeEntries, exports }: ChangeEntryRoutesDependencies): void {
  app.get('/change-entries', routeOptions(operations.listChangeEntries), async ({ identity, query }, reply) => {
    const { cursor, limit, ...filters } = query
    const log = changeEntries.of(identity.subscriberId)
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
    const leave = exports.enter(`${identity.subscriberId}/${identity.userId}`)
    if (leave === undefined) {
      throw problem('rate_limited', 'Too many exports are open', { headers: { 'retry-after': '30' } })
    }
    reply.raw.once('close', leave)
    if (reply.raw.closed) {
      leave()
      return reply
    }
    const pieces = changeEntries.of(identity.subscriberId).export(query, format)
    return setHeaders().send(await openTransfer(pieces, { useGzip }))
  })
}
