import { type Position, watch } from '@herald/mongo'
import type { Db } from 'mongodb'
import {
  type ChangeEvent,
  type FeedChange,
  feedChangePipeline,
  ownerKeyIn,
  rawFields,
  toFeedChange,
} from './feed-change.ts'

export type FeedStep =
  | { readonly kind: 'change'; readonly position: Position; readonly owner: string; read(): FeedChange }
  /** Every change up to this position has been yielded. The first one is yielded as soon as the stream is open. */
  | { readonly kind: 'position'; readonly position: Position }
  /** The changes after `after` are no longer available, or not in reasonable time. This is the last step. */
  | { readonly kind: 'lost' }

export type FeedChanges = ReturnType<typeof createFeedChanges>
type From = { readonly after?: Position | undefined; readonly signal: AbortSignal }

export function createFeedChanges(database: Db) {
  return {
    /** Yields the changes of every recipient, see {@link watch}. */
    async *watch(from: From): AsyncGenerator<FeedStep, void, void> {
      const options = { ...from, pipeline: feedChangePipeline, fieldsAsRaw: rawFields }
      for await (const step of watch<ChangeEvent>(database, options)) {
        if (step.kind !== 'change') yield step
        else {
          const { position, event } = step
          yield { kind: 'change', position, owner: ownerKeyIn(event), read: () => toFeedChange(event) }
        }
      }
    },
  }
}
