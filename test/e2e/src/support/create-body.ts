import { randomUUID } from 'node:crypto'

/** A body of `POST /` as specification 4.1 has it; what is given goes before the defaults. */
export const createBody = (recipientIds: readonly string[], given: Record<string, unknown> = {}) => ({
  type: 'mention',
  actorType: 'user',
  subjectId: randomUUID(),
  subjectType: 'user',
  locationId: randomUUID(),
  locationType: 'comment',
  metadata: metadata(),
  recipientIds,
  ...given,
})

/** Specification 2.3, with `given` over the fields of `mention`. */
export const metadata = (given: Record<string, unknown> = {}, rest: Record<string, unknown> = {}) => ({
  mention: { mentionerName: 'Ada', snippet: 'See here', entityType: 'portfolio', ...given },
  add: {},
  edit: {},
  ...rest,
})

/** Objects within each other, `levels` deep; the innermost is `core`. */
export function nested(levels: number, core: object = {}): object {
  return levels <= 1 ? core : { deeper: nested(levels - 1, core) }
}
