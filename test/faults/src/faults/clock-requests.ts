import { randomUUID } from 'node:crypto'
import { createHeraldClient, type NewNotification } from '@herald/client'
import { type StartedService, startService } from '@herald/local-herald'
import { Binary } from 'mongodb'
import { withModule } from '../campaign/ingest-fleet.ts'
import { uuidOf } from '../oracle/announced-notification.ts'
import type { AnnouncedEvent } from '../oracle/announcement-log.ts'
import { plannedUuid } from '../oracle/derived-id.ts'
import type { PartContext } from '../part.ts'

const preload = new URL('../preloads/shifted-clock.ts', import.meta.url).href
export const clockShift = (shiftMs: number) => ({
  module: preload,
  setting: { HERALD_CLOCK_SHIFT_MS: String(shiftMs) },
})

/** No event is of it. */
const subscriber = plannedUuid(7, 2)
const subscriberId = uuidOf(subscriber)
/** Longer than a clock is ahead. */
const tokenSeconds = 4 * 60 * 60
/** A request may take as long on a busy machine. */
const toleranceMs = 20_000

export const isOfRequests = ({ subscriberid }: AnnouncedEvent) => subscriberid === subscriberId

type Both = { readonly ahead: StartedService; readonly behind: StartedService }

/**
 * Creates notifications, repeats each request at the other member, and marks them at the query services, all of whose clocks
 * differ.
 *
 * @returns the ids of the notifications
 */
export async function requestThroughBoth(context: PartContext, members: Both, shiftMs: number): Promise<string[]> {
  const { campaign } = context
  const queries = await Promise.all([startQuery(context, shiftMs), startQuery(context, -shiftMs)])
  try {
    const userId = randomUUID()
    const token = await campaign.fleet.tokens.sign(
      { sub: userId, subscriber_id: subscriberId, scope: 'notifications:create' },
      { expiresIn: tokenSeconds },
    )
    const clientOf = ({ url }: StartedService) => createHeraldClient({ baseUrl: url, token }).notifications
    const [ahead, behind] = [clientOf(members.ahead), clientOf(members.behind)]
    const feeds = queries.map(clientOf) as [ReturnType<typeof clientOf>, ReturnType<typeof clientOf>]
    const ids: string[] = []
    for (const [first, second] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const [body, idempotencyKey] = [newBody(userId), randomUUID()]
      const created = await first.create(body, { idempotencyKey })
      const again = await second.create(body, { idempotencyKey })
      if (again.id !== created.id) campaign.violations.add('doubled', `POST / made ${created.id} and ${again.id}`)
      ids.push(created.id)
    }
    for (const [index, id] of ids.entries()) await mark(context, id, index === 0 ? feeds : [feeds[1], feeds[0]])
    return ids
  } finally {
    await Promise.all(queries.map((query) => query.stop()))
  }
}

type Feed = ReturnType<typeof createHeraldClient>['notifications']

/** Marks at the first service, which the second must show; and the other way round. */
async function mark({ campaign: { violations } }: PartContext, id: string, feeds: readonly [Feed, Feed]) {
  const [first, second] = feeds
  const differs = (name: string, found: unknown) => violations.add('content', `${id} ${name} is ${found}`)
  const { readAt } = await first.markRead(id)
  const off = Math.abs(Date.parse(readAt ?? '') - Date.now())
  if (!(off < toleranceMs)) differs('readAt', readAt)
  const shown = await second.get(id)
  if (shown.readAt !== readAt) differs('readAt at the other service', shown.readAt)
  await second.markUnread(id)
  const unread = await first.get(id)
  if (unread.readAt !== null) differs('readAt after it was marked as unread', unread.readAt)
  await first.markManyRead({ ids: [id] })
  const listed = (await second.list({ limit: 100 })).notifications.find((one) => one.id === id)
  const late = Math.abs(Date.parse(listed?.readAt ?? '') - Date.now())
  if (!(late < toleranceMs)) differs('readAt after a mark of many', listed?.readAt)
}

async function startQuery({ campaign: { fleet } }: PartContext, shiftMs: number): Promise<StartedService> {
  const { module, setting } = clockShift(shiftMs)
  return startService('query', { ...withModule(fleet.settings, module), ...setting })
}

const newBody = (recipientId: string): NewNotification => ({
  type: 'mention',
  actorType: 'user',
  subjectId: randomUUID(),
  subjectType: 'user',
  locationId: randomUUID(),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }, add: {}, edit: {} },
  recipientIds: [recipientId],
})

/** Removes them, so that the stored documents are those of the plan again. */
export async function removeRequested({ campaign: { stored } }: PartContext): Promise<void> {
  const bound = (byte: number) => new Binary(Buffer.concat([subscriber, Buffer.alloc(32, byte)]))
  await stored.notifications.deleteMany({ _id: { $gte: bound(0), $lte: bound(0xff) } })
}
