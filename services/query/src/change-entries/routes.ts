import { operations } from '@herald/contracts'
import { type HttpServer, problem, routeOptions } from '@herald/runtime'
import type { ChangeEntries } from '@herald/store'
import accepts from 'accepts'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import { changeEntryPageJson } from './entries-json.ts'
import { type ExportFormat, exportFormats } from './export-formats.ts'
import { openTransfer } from './transfer.ts'

export type ChangeEntryRoutesDependencies = {
  readonly changeEntries: Pick<ChangeEntries, 'of'>
  readonly exports: ConcurrencyLimit
}

const json = 'application/json; charset=utf-8'

/** Serves the change log of the current subscriber: all of it (specification 4.4), or in pages. */
export function addChangeEntryRoutes(app: HttpServer, { changeEntries, exports }: ChangeEntryRoutesDependencies): void {
  app.get('/change-entries', routeOptions(operations.listChangeEntries), async ({ identity, query }, reply) => {
    const { cursor, limit, ...filters } = query
    const log = changeEntries.of(identity.subscriberId)
    const { documents, next } = await log.listBytes({ ...filters, before: cursor }, limit)
    return reply.type(json).send(changeEntryPageJson(documents, next))
  })

  app.get('/change-entries/all', routeOptions(operations.listAllChangeEntries), async (request, reply) => {
    const { identity, method, query, raw } = request
    const accepted = accepts(raw)
    const mediaType = accepted.type(Object.keys(exportFormats))
    const format = exportFormats[typeof mediaType === 'string' ? mediaType : 'application/json'] as ExportFormat
    const useGzip = accepted.encoding(['gzip', 'identity']) === 'gzip'
    const setHeaders = () => {
      if (useGzip) reply.header('content-encoding', 'gzip')
      return reply.header('vary', 'Accept, Accept-Encoding').type(format.contentType)
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
    const steps = changeEntries.of(identity.subscriberId).allBytes(query)
    const body = await openTransfer(format, steps, { useGzip })
    return setHeaders().send(body)
  })
}
