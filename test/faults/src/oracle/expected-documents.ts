import { plannedUuid } from './derived-id.ts'
import {
  changeKey,
  type EventPlan,
  notificationKey,
  receiptOf,
  receiptsAbout,
  recipientsOf,
  timeOf,
} from './event-plan.ts'

/** A document that must be stored; `fields` as `differences` compares them. */
export type ExpectedDocument = {
  key: Buffer
  fields: Record<string, unknown>
}

/** A user's mark of a notification, which every replay must keep. */
export type Mark = {
  readAt: number | undefined
  /** See `readStateTime`. */
  readStateAt: number
}
export type Marks = ReadonlyMap<string, Mark>

const hex = (bytes: Buffer) => bytes.toString('hex')

/** One document for each recipient of mention `n`. `wasPublished` selects the receipts to apply. */
export function expectedNotifications(
  plan: EventPlan,
  n: number,
  wasPublished: (n: number) => boolean,
  marks: Marks,
): ExpectedDocument[] {
  const content = {
    v: 1,
    createdAt: timeOf(plan, n),
    type: 'mention',
    actorId: hex(plannedUuid(3, n % 50)),
    actorName: 'Ada ü',
    actorImage: '',
    actorType: n % 4 === 0 ? 'ai user' : 'user',
    subjectId: hex(plannedUuid(4, n)),
    subjectType: 'comment',
    locationId: hex(plannedUuid(5, n)),
    locationType: 'file comment',
    metadata: {
      mention: { mentionerName: 'Ada', snippet: `event ${n}`, entityType: 'portfolio' },
      add: JSON.stringify({ $set: n, 'a.b': 'ü', '': null }),
      edit: JSON.stringify({ constructor: [n] }),
    },
  }
  const receipts = receiptsAbout(n).filter(wasPublished)
  return recipientsOf(n).map((recipient, index) => {
    const key = notificationKey(plan, n, recipient)
    const about = index === 0 ? receipts : []
    return { key, fields: { ...content, ...readState(plan, about, marks.get(hex(key))) } }
  })
}

function readState(plan: EventPlan, receipts: readonly number[], mark: Mark | undefined) {
  const times = (kind: string) => receipts.filter((n) => receiptOf(n).kind === kind).map((n) => timeOf(plan, n))
  const emailSentAt = times('email-sent').toSorted((a, b) => a - b)[0]
  const readAt = mark ? mark.readAt : times('read')[0]
  const readStateAt = mark ? mark.readStateAt : readAt
  return { emailSentAt, readAt, readStateAt, box: readAt === undefined ? 0 : 1 }
}

export function expectedChangeEntry(plan: EventPlan, n: number): ExpectedDocument {
  return {
    key: changeKey(plan, n),
    fields: {
      v: 1,
      createdAt: timeOf(plan, n),
      userId: hex(plannedUuid(6, n % 50)),
      userName: 'Bob',
      userEmail: 'bob@mail.example',
      entityType: 'portfolio',
      entityId: `p-${n % 97}`,
      entityTitle: 'Growth',
      actionType: 'update',
      changedField: `field ${n}`,
      beforeState: JSON.stringify({ z: n, a: { $ref: 'x' } }),
      afterState: JSON.stringify([n, null, 'é']),
    },
  }
}
