import { Readable } from 'node:stream'
import { scopes } from '@herald/contracts'
import type { HttpServer } from '@herald/runtime'
import type { ChangeEntries, StoredChangeEntry } from '@herald/store'
import { z } from 'zod'
import { changeEntryJson } from './change-entry-json.ts'

export type ChangeEntryRoutesDependencies = { readonly changeEntries: Pick<ChangeEntries, 'of'> }

type Steps = AsyncGenerator<readonly StoredChangeEntry[], void, void>

/** One document, a step of entries at a time. When a step fails the generator throws, and the closing never goes out. */
async function* document(first: IteratorResult<readonly StoredChangeEntry[], void>, rest: Steps) {
  try {
    let separator = '{"data":['
    for (let step = first; !step.done; step = await rest.next()) {
      yield separator + step.value.map(changeEntryJson).join(',')
      separator = ','
    }
    yield separator === ',' ? ']}' : `${separator}]}`
  } finally {
    await rest.return()
  }
}

/** The current subscriber's change log (specification 4.4). */
export function addChangeEntryRoutes(app: HttpServer, { changeEntries }: ChangeEntryRoutesDependencies): void {
  app.get(
    '/change-entries/all',
    { config: { scope: scopes.readChangeEntries }, schema: { querystring: z.strictObject({}) } },
    async ({ identity }, reply) => {
      const steps = changeEntries.of(identity.subscriberId).all()
      // The first step is awaited here: a storage that is away is still an answer of its own, not a broken transfer.
      const first = await steps.next()
      return reply
        .type('application/json; charset=utf-8')
        .send(Readable.from(document(first, steps), { highWaterMark: 1 }))
    },
  )
}
