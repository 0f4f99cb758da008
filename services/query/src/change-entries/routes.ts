import { operations } from '@herald/contracts'
import { type HttpServer, routeOptions } from '@herald/runtime'
import type { ChangeEntries } from '@herald/store'
import accepts from 'accepts'
import { changeEntryJson } from './change-entry-json.ts'
import { type ExportFormat, exportFormats } from './export-formats.ts'
import { openTransfer } from './transfer.ts'

export type ChangeEntryRoutesDependencies = {
  readonly changeEntries: Pick<ChangeEntries, 'of'>
  /** Milliseconds after which a reader who takes nothing is cut off. */
  readonly stallMs?: number
}

const json = 'application/json; charset=utf-8'

/** The current subscriber's change log: all of it (specification 4.4), or page by page. */
export function addChangeEntryRoutes(
  app: HttpServer,
  { changeEntries, stallMs = 60_000 }: ChangeEntryRoutesDependencies,
): void {
  app.get('/change-entries', routeOptions(operations.listChangeEntries), async ({ identity, query }, reply) => {
    const { cursor, limit, ...filters } = query
    const log = changeEntries.of(identity.subscriberId)
    const { entries, next } = await log.list({ ...filters, before: cursor }, limit)
    const items = entries.map(changeEntryJson).join(',')
    return reply.type(json).send(`{"data":{"changeEntries":[${items}],"nextCursor":${JSON.stringify(next)}}}`)
  })

  app.get('/change-entries/all', routeOptions(operations.listAllChangeEntries), async (request, reply) => {
    const accepted = accepts(request.raw)
    const asked = accepted.type(Object.keys(exportFormats))
    const format = exportFormats[typeof asked === 'string' ? asked : 'application/json'] as ExportFormat
    const isZipped = accepted.encoding(['gzip', 'identity']) === 'gzip'
    const steps = changeEntries.of(request.identity.subscriberId).allBytes(request.query)
    const body = await openTransfer(format, steps, { isZipped, response: reply.raw, stallMs })
    if (isZipped) reply.header('content-encoding', 'gzip')
    return reply.header('vary', 'Accept, Accept-Encoding').type(format.contentType).send(body)
  })
}
