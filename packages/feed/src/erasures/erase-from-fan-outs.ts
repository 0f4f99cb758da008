import { eachAtOnce, hex, inBatches, readLimits, toUuidBinary, uuidIn, writeEach } from '@herald/mongo'
import type { ErasedPerson } from '@herald/persons'
import { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { type FanOutDocument, recipientKeys, remainingPositions } from '../documents/fan-out-document.ts'
import { erasedIn, maskingUpdate, maskNotification } from '../documents/mask.ts'
import {
  fanOutKeyIn,
  fromRequestContent,
  type NotificationDocument,
  toRequestContent,
} from '../documents/notification-document.ts'
import {
  bytesIn,
  decodePositions,
  encodePositions,
  positionIn,
  withoutRecipients,
} from '../documents/recipient-list.ts'
import type { RefusedFanOuts } from '../retractions/retract-from-fan-outs.ts'

type ErasedById = ReadonlyMap<string, ErasedPerson>

export type FanOutToErase = { readonly document: FanOutDocument; readonly persons: ErasedById }

/**
 * Erases persons from fan-outs and from the notifications of the other recipients: as actor, as subject and as recipient. The
 * notifications first, so that a retry after a crash still finds them by the fan-out. Repeating it changes nothing.
 */
export type EraseFromFanOuts = ReturnType<typeof createEraseFromFanOuts>

type Plan = FanOutToErase & {
  readonly author: ErasedPerson | undefined
  readonly subject: ErasedPerson | undefined
  readonly positions: readonly number[]
}

const updatesPerBatch = 1_000
const lookupsAtOnce = 32

/** Whether there is anything of the persons in a fan-out, or may be. */
export function mayConcern(fanOut: FanOutToErase): boolean {
  const { author, subject, positions } = toPlan(fanOut)
  return author !== undefined || subject !== undefined || positions.length > 0
}

export function createEraseFromFanOuts({ fanOuts, notifications }: Pick<FeedCollections, 'fanOuts' | 'notifications'>) {
  async function findOne(document: FanOutDocument): Promise<NotificationDocument | null> {
    for (const _id of keysOf(document)) {
      const found = await notifications.findOne({ _id }, readLimits)
      if (found) return found
    }
    return null
  }

  /** All documents of a notification have the same content, so one of them is read, and all are changed by key. */
  async function maskThose(plans: readonly Plan[], refused: Map<string, string>): Promise<number> {
    const masked: Masked[] = []
    const concerned = plans.filter((plan) => plan.author || plan.subject)
    await eachAtOnce(concerned, lookupsAtOnce, async (plan) => {
      const found = await findOne(plan.document)
      if (found) masked.push({ document: plan.document, update: maskingUpdate(found, plan) })
    })
    let changed = 0
    for (const updates of inBatches(updatesOf(masked), updatesPerBatch)) {
      const outcome = await writeEach(notifications, updates)
      changed += outcome.changed
      for (const { document, reason } of outcome.refused) {
        refused.set(fanOutKeyIn(document.updateOne.filter._id), reason)
      }
    }
    return changed
  }

  return async (given: readonly FanOutToErase[]): Promise<{ erased: number; refused: RefusedFanOuts }> => {
    const refused = new Map<string, string>()
    let erased = 0
    for (let left = given; left.length > 0; ) {
      const plans = left.map(toPlan)
      erased += await maskThose(plans, refused)
      const changes = plans.flatMap(toFanOutChange)
      const outcome = await writeEach(fanOuts, changes)
      erased += outcome.changed
      for (const { document, reason } of outcome.refused) refused.set(hex(document.updateOne.filter._id), reason)
      if (outcome.matched + outcome.refused.length === changes.length) break
      // Another process changed some meanwhile: they are read and erased again.
      const personsOf = new Map(left.map(({ document, persons }) => [hex(document._id), persons]))
      const keys = left.map(({ document }) => document._id).filter((key) => !refused.has(hex(key)))
      const found = await fanOuts.find({ _id: { $in: keys } }, readLimits).toArray()
      left = found.map((document) => ({ document, persons: personsOf.get(hex(document._id)) as ErasedById }))
    }
    return { erased, refused }
  }
}

function toPlan(fanOut: FanOutToErase): Plan {
  const { document, persons } = fanOut
  const recipients = bytesIn(document.recipients)
  return {
    ...fanOut,
    author: personOf(document.actorId, persons),
    subject: personOf(document.subjectId, persons),
    positions: [...persons.keys()].flatMap((id) => {
      const position = positionIn(recipients, id)
      return position === undefined || isErased(document, position) ? [] : [position]
    }),
  }
}

/** Finds a person by id or pseudonym, because a notification may be stored unmasked after its fan-out was masked. */
function personOf(id: Binary, persons: ErasedById): ErasedPerson | undefined {
  const text = uuidIn(id)
  return persons.get(text) ?? [...persons.values()].find(({ pseudonym }) => pseudonym === text)
}

const isErased = ({ erased }: FanOutDocument, position: number) =>
  erased !== undefined && [...decodePositions(bytesIn(erased))].includes(position)

const keysOf = (document: FanOutDocument) => recipientKeys(document, remainingPositions(document))

type Masked = { readonly document: FanOutDocument; readonly update: ReturnType<typeof maskingUpdate> }

function* updatesOf(masked: readonly Masked[]) {
  for (const { document, update } of masked) {
    for (const _id of keysOf(document)) yield { updateOne: { filter: { _id }, update } }
  }
}

function toFanOutChange({ document, persons, author, subject, positions }: Plan) {
  const { _id, erased, content, actorId, subjectId } = document
  const maskedContent = content === undefined ? undefined : maskContent(content, persons)
  const isSame =
    positions.length === 0 &&
    maskedContent === content &&
    (author === undefined || uuidIn(actorId) === author.pseudonym) &&
    (subject === undefined || uuidIn(subjectId) === subject.pseudonym)
  if (isSame) return []
  const $set: Partial<FanOutDocument> = {
    ...(author === undefined ? {} : { actorId: toUuidBinary(author.pseudonym) }),
    ...(subject === undefined ? {} : { subjectId: toUuidBinary(subject.pseudonym) }),
    ...(positions.length === 0 ? {} : withoutErased(document, positions)),
    ...(maskedContent === content ? {} : { content: maskedContent as string }),
  }
  const filter = {
    _id,
    erased: erased ?? ({ $exists: false } as const),
    ...(maskedContent === content ? {} : { content: content as string }),
  }
  return [{ updateOne: { filter, update: { $set } } }]
}

function withoutErased({ recipients, erased }: FanOutDocument, positions: readonly number[]) {
  const all = [...(erased === undefined ? [] : decodePositions(bytesIn(erased))), ...positions]
  return {
    recipients: new Binary(withoutRecipients(bytesIn(recipients), positions)),
    erased: new Binary(encodePositions(all.sort((a, b) => a - b))),
  }
}

function maskContent(content: string, persons: ErasedById): string {
  const notification = fromRequestContent(content)
  const erased = erasedIn(notification, (_, id) => persons.get(id))
  return erased.size === 0 ? content : toRequestContent(maskNotification(notification, erased))
}
