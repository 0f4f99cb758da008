import { randomUUID } from 'node:crypto'

/** A valid body of `POST /` (specification 4.1); `overrides` replace the defaults. */
export const createBody = (recipientIds: readonly string[], overrides: Record<string, unknown> = {}) => ({
  type: 'mention',
  actorType: 'user',
  subjectId: randomUUID(),
  subjectType: 'user',
  locationId: randomUUID(),
  locationType: 'comment',
  metadata: metadata(),
  recipientIds,
  ...overrides,
})

/** Metadata (specification 2.3); `mention` overrides fields of the mention, `rest` the fields beside it. */
export const metadata = (mention: Record<string, unknown> = {}, rest: Record<string, unknown> = {}) => ({
  mention: { mentionerName: 'Ada', snippet: 'See here', entityType: 'portfolio', ...mention },
  add: {},
  edit: {},
  ...rest,
})

/** Nested objects, `levels` deep; the innermost is `core`. */
export function nested(levels: number, core: object = {}): object {
  return levels <= 1 ? core : { deeper: nested(levels - 1, core) }
}
