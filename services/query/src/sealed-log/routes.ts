import type { SealedLog } from '@herald/change-log'
import { operations } from '@herald/contracts'
import { type Budget, type HttpServer, holdWhileOpen, problem, retryLater, routeOptions } from '@herald/runtime'
import accepts from 'accepts'
import { openTransfer } from '../change-entries/transfer.ts'

export type SealedLogRoutesDependencies = {
  readonly sealedLog: Pick<SealedLog, 'of'>
  readonly exports: Budget
}

/** Why there is no answer. */
type Refused =
  | 'leaf-unavailable'
  | 'sealing-off'
  | 'no-checkpoint'
  | 'invalid-size'
  | 'not-ready'
  | 'not-stored'
  | 'not-sealed'

const textType = 'text/plain; charset=utf-8'
const linesType = 'application/x-ndjson; charset=utf-8'

/** Serves checkpoints, proofs and the export of the current subscriber's sealed change log. */
export function addSealedLogRoutes(app: HttpServer, { sealedLog, exports }: SealedLogRoutesDependencies): void {
  app.get('/change-entries/checkpoint', routeOptions(operations.getCheckpoint), async ({ identity, raw }, reply) => {
    const found = await sealedLog.of(identity.subscriberId, identity.userId).checkpoint()
    if (found.kind !== 'checkpoint') throw refusal(found.kind)
    const { checkpoint } = found
    reply.header('vary', 'Accept')
    if (accepts(raw).type(['text/plain', 'application/json']) === 'application/json') return { data: { checkpoint } }
    return reply.type(textType).send(checkpoint)
  })

  app.get('/change-entries/checkpoint/key', routeOptions(operations.getCheckpointKeys), async ({ identity }) => {
    const found = await sealedLog.of(identity.subscriberId, identity.userId).keys()
    if (found.kind !== 'keys') throw refusal(found.kind)
    return { data: { keys: found.keys } }
  })

  app.get(
    '/change-entries/checkpoint/consistency',
    routeOptions(operations.getCheckpointConsistency),
    async ({ identity, query }) => {
      const found = await sealedLog.of(identity.subscriberId, identity.userId).consistency(query)
      if (found.kind !== 'consistency') throw refusal(found.kind)
      return { data: found.consistency }
    },
  )

  app.get(
    '/change-entries/:changeEntryId/proof',
    routeOptions(operations.getChangeEntryProof),
    async ({ identity, params, raw }, reply) => {
      const log = sealedLog.of(identity.subscriberId, identity.userId)
      reply.header('vary', 'Accept')
      if (accepts(raw).type(['application/json', 'text/plain']) === 'text/plain') {
        const found = await log.tlogProof(params.changeEntryId)
        if (found.kind !== 'text') throw refusal(found.kind)
        return reply.type(textType).send(found.text)
      }
      const found = await log.proof(params.changeEntryId)
      if (found.kind !== 'proven') throw refusal(found.kind)
      return { data: found.proof }
    },
  )

  app.get('/change-entries/sealed', routeOptions(operations.exportSealedLog), async (request, reply) => {
    const { identity, method, query, raw } = request
    if (!holdWhileOpen(reply, exports, identity, 1)) return reply
    const found = await sealedLog.of(identity.subscriberId, identity.userId).export(query)
    if (found.kind !== 'lines') throw refusal(found.kind)
    if (reply.raw.closed) return reply
    const useGzip = accepts(raw).encoding(['gzip', 'identity']) === 'gzip'
    if (useGzip) reply.header('content-encoding', 'gzip')
    reply.header('vary', 'Accept-Encoding').type(linesType)
    return reply.send(method === 'HEAD' ? undefined : await openTransfer(found.lines, { useGzip }))
  })
}

function refusal(kind: Refused): Error {
  switch (kind) {
    case 'sealing-off':
      return problem('sealing_off', 'No sealer with a key has run')
    case 'no-checkpoint':
      return problem('no_such_checkpoint', 'There is no checkpoint, or none of this size')
    case 'invalid-size':
      return problem('invalid_size', 'The sizes or indexes must be in order, and within the log')
    case 'not-ready':
      return problem('order_not_ready', 'A person is being erased; try again later', { headers: retryLater })
    case 'not-stored':
      return problem('not_found', 'Change entry not found')
    case 'leaf-unavailable':
      return problem('leaf_unavailable', 'The entry was erased or has expired, so the data of its leaf is not there')
    case 'not-sealed':
      return problem('not_sealed_yet', 'The entry is in no checkpoint yet; it will be in one of the next')
  }
}
