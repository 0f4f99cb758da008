import { setTimeout as sleep } from 'node:timers/promises'
import type { Announcements, Digests, DueBatch } from '@herald/feed'
import { RecordTooLarge } from '@herald/kafka'
import { backoffMs, createLeasedWorker, type LeaseDependencies, type LeasedWorker, type Logger } from '@herald/runtime'
import type { AnnouncementPublisher } from '../produce/announcement-publisher.ts'

export type AnnouncementRelayDependencies = LeaseDependencies & {
  readonly announcements: Pick<Announcements, 'isDue' | 'next'>
  readonly digests: Digests
  readonly publisher: Pick<AnnouncementPublisher, 'publish'>
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly unreadAfterMs?: number | undefined
  readonly everyMs: number
}

const leaseMs = 30_000
const timeoutMs = 5_000
const pauses = { minPauseMs: 1_000, maxPauseMs: 15_000 } as const
const fewItems = 100
const restMs = 100
const tooLargeMs = 10 * 60 * 1_000

/**
 * Announces everything that the handling of events could not: notifications of requests, retractions, unread
 * notifications, and all that was stored while the topic was unavailable. Digests are written by a worker of their own:
 * neither waits for the other, however much is due or fails.
 */
export function createAnnouncementRelay(dependencies: AnnouncementRelayDependencies): LeasedWorker {
  const workers = [createDigestWriter(dependencies), createDuePublisher(dependencies)].filter(
    (one) => one !== undefined,
  )
  return {
    start() {
      for (const worker of workers) worker.start()
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}

/** Does not depend on the topic: a digest contains what is unread when it is due. */
function createDigestWriter(dependencies: AnnouncementRelayDependencies): LeasedWorker | undefined {
  const { digests, now, logger, unreadAfterMs, everyMs } = dependencies
  if (unreadAfterMs === undefined) return undefined
  return createLeasedWorker(dependencies, {
    lease: 'digests',
    leaseMs,
    async work(hold) {
      if (!(await digests.isDue(now()))) return
      while ((await hold()) && (await digests.writeNext(now(), unreadAfterMs, hold)) > 0);
    },
    onFailure(err, failures) {
      if (failures === 1) logger.warn({ err }, 'Could not write digests of unread notifications, retrying')
    },
    pauseMs: toPauseMs(everyMs),
  })
}

function createDuePublisher(dependencies: AnnouncementRelayDependencies): LeasedWorker {
  const { announcements, publisher, now, logger, everyMs } = dependencies

  const publish = async ({ items, settle, postpone }: DueBatch): Promise<void> => {
    try {
      await publisher.publish(items, timeoutMs)
    } catch (err) {
      if (!(err instanceof RecordTooLarge)) throw err
      const [only] = items
      if (items.length > 1) {
        for (const item of items) await publish({ items: [item], settle, postpone })
      } else if (only) {
        logger.error({ err }, 'The topic rejects an announcement for its size, retrying in 10 minutes')
        await postpone([only], new Date(now().getTime() + tooLargeMs))
      }
      return
    }
    await settle(items)
  }

  return createLeasedWorker(dependencies, {
    lease: 'announcements',
    leaseMs,
    async work(hold) {
      if (!(await announcements.isDue(now()))) return
      while (await hold()) {
        const batches = await announcements.next(now())
        if (batches.length === 0) return
        for (const batch of batches) await publish(batch)
        // While digests are being written, a round for every few of them would take the time of writing them.
        if (batches.every(({ items }) => items.length < fewItems)) await sleep(restMs)
      }
    },
    onFailure(err, failures) {
      if (failures === 1) logger.warn({ err }, 'Could not announce what is due, retrying')
    },
    pauseMs: toPauseMs(everyMs),
  })
}

const toPauseMs = (everyMs: number) => (failures: number) =>
  failures === 0 ? everyMs : backoffMs(failures - 1, pauses)
