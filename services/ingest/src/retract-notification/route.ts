import { operations } from '@herald/contracts'
import { type HttpServer, problem, retryLater, routeOptions } from '@herald/runtime'
import { traceparentOf } from '../request-traceparent.ts'
import type { StorageGate } from '../storage-gate.ts'
import type { RetractNotification } from './retract-notification.ts'

export type RetractRouteDependencies = {
  readonly retract: RetractNotification
  readonly gate: Pick<StorageGate, 'isOpen'>
}

/** `DELETE /notifications/{id}`. */
export function addRetractNotificationRoute(app: HttpServer, { retract, gate }: RetractRouteDependencies): void {
  app.delete(
    '/notifications/:notificationId',
    routeOptions(operations.retractNotification),
    async ({ params: { notificationId }, identity: { subscriberId, userId }, raw }, reply) => {
      if (!(await gate.isOpen())) {
        throw problem('storage_unavailable', 'The storage is not set up yet; try again later', { headers: retryLater })
      }
      if (!(await retract({ subscriberId, userId, notificationId, traceparent: traceparentOf(raw.headers) }))) {
        throw problem('not_found', 'Notification not found')
      }
      return reply.code(204).send()
    },
  )
}
