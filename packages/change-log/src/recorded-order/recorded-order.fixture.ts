import { setTimeout as sleep } from 'node:timers/promises'
import { formatTimestamp } from '@herald/contracts'
import { uuidIn } from '@herald/mongo'
import { erasureLeafData, hashLeaf, hashUser } from '@herald/sealed-log'
import { eventually } from '@herald/test-servers'
import type { LogSources } from '../documents/collections.ts'
import {
  type EntryPage,
  type ErasurePage,
  type IndexRange,
  type LogPageDocument,
  pagesFrom,
} from '../documents/log-page-document.ts'
import { rangesOf } from './log-pages.ts'
import type { Sequencer } from './sequencer.ts'

/** Runs a sequencer in this process until it is stopped, again after each error, as the process of the service does. */
export function runSequencer(sequencer: Sequencer) {
  let isStopped = false
  const errors: unknown[] = []
  const run = async () => {
    while (!isStopped) {
      try {
        await sequencer.work(
          async () => !isStopped,
          () => {},
        )
      } catch (error) {
        errors.push(error)
        await sleep(20)
      }
    }
  }
  const running = run()
  return {
    errors,
    async stop() {
      isStopped = true
      await running
    },
  }
}

export type OrderedEntry = {
  readonly index: number
  readonly id: string
  readonly userSalt: Buffer
  readonly userHash: Buffer
}
export type OrderedErasure = {
  readonly index: number
  readonly eventId: string
  readonly leafIndexes: readonly IndexRange[]
}

/** A log as its pages have it. Throws if an index is missing or assigned twice. */
export async function readOrder({ logPages }: Pick<LogSources, 'logPages'>, subscriberId: string) {
  const entries: OrderedEntry[] = []
  const erasures: OrderedErasure[] = []
  let length = 0
  const cursor = logPages.find({ _id: pagesFrom(subscriberId, 0) }, { readConcern: 'majority' }).sort({ _id: 1 })
  for await (const page of cursor) {
    if (page.first !== length) throw new Error(`A page begins at ${page.first}, not at ${length}`)
    length += page.count
    if (isErasure(page)) erasures.push(readErasure(page))
    else entries.push(...readEntries(page))
  }
  return { entries, erasures, length, ids: entries.map(({ id }) => id) }
}

const isErasure = (page: LogPageDocument): page is ErasurePage => 'erasure' in page

function readErasure(page: ErasurePage): OrderedErasure {
  const eventId = uuidIn(page.erasure.eventId)
  const leafIndexes = rangesOf(page)
  const leaf = hashLeaf(erasureLeafData({ eventId, time: formatTimestamp(page.erasure.time), leafIndexes }))
  if (!leaf.equals(page.leafHashes.buffer)) throw new Error('The leaf of the erasure has another hash')
  return { index: page.first, eventId, leafIndexes }
}

function readEntries(page: EntryPage): OrderedEntry[] {
  const at = (bytes: EntryPage['salts'], offset: number) =>
    Buffer.from(bytes.buffer.subarray(offset * 32, offset * 32 + 32))
  return page.ids.map((id, offset) => {
    const userSalt = at(page.userSalts, offset)
    return { index: page.first + offset, id: uuidIn(id), userSalt, userHash: at(page.userHashes, offset) }
  })
}

/** Waits until a log has so many leaves. */
export function waitForLength(collections: Pick<LogSources, 'logPages'>, subscriberId: string, length: number) {
  return eventually(async () => {
    const order = await readOrder(collections, subscriberId)
    if (order.length < length) throw new Error(`${order.length} of ${length} leaves`)
    return order
  })
}

export const userHashOf = hashUser
