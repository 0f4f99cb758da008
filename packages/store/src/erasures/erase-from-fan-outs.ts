import { uuidToBytes } from '@herald/contracts'
import { Binary, type Collection } from 'mongodb'
import { toUuidBinary, uuidIn } from '../binary.ts'
import { type FanOutDocument, gonePositions } from '../fan-outs/fan-out-document.ts'
import { inBatches } from '../fan-outs/in-batches.ts'
import { bytesIn, decodePositions, encodePositions, recipientAt } from '../fan-outs/recipient-list.ts'
import { fromContent, toContent } from '../fan-outs/request-content.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { ErasedPerson } from './erased-persons.ts'
import { erasedIn, latest, maskMetadata, maskNotification } from './mask.ts'

/** Erased persons by their ids. */
type ErasedById = ReadonlyMap<string, ErasedPerson>

/** A fan-out, and the persons to erase from it and its notifications. */
export type FanOutToErase = { readonly document: FanOutDocument; readonly persons: ErasedById }

/**
 * Erases persons from fan-outs and from the notifications of the other recipients: as actor, as subject and as recipient. The
 * notifications first, so that a retry after a crash still finds them by the fan-out. Repeating it changes nothing.
 *
 * @returns the number of documents changed
 */
export type EraseFromFanOuts = (fanOuts: readonly FanOutToErase[]) => Promise<number>

export type EraseFromFanOutsDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly notifications: Collection<NotificationDocument>
}

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
  return author !== undefined || subject !== undefined || positions.length > 0 || hasNoSubject(fanOut)
}

const hasNoSubject = ({ document }: FanOutToErase) => document.subjectId === undefined

export function createEraseFromFanOuts({ fanOuts, notifications }: EraseFromFanOutsDependencies): EraseFromFanOuts {
  async function findOne(document: FanOutDocument): Promise<NotificationDocument | null> {
    const projection = { metadata: 1, subjectId: 1 }
    for (const _id of keysOf(document)) {
      const found = await notifications.findOne({ _id }, { ...readLimits, projection })
      if (found) return found
    }
    return null
  }

  /** All documents of a notification have the same content, so one of them is read, and all are changed by key. */
  async function maskThose(plans: readonly Plan[]): Promise<number> {
    const masked: { plan: Plan; change: Change }[] = []
    const concerned = plans.filter((plan) => plan.author || plan.subject || hasNoSubject(plan)).values()
    const work = async (): Promise<void> => {
      for (const plan of concerned) {
        const found = await findOne(plan.document)
        const change = found && changeOf(plan, found)
        if (change) masked.push({ plan, change })
      }
    }
    await Promise.all(Array.from({ length: lookupsAtOnce }, work))
    let changed = 0
    for (const updates of inBatches(updatesOf(masked), updatesPerBatch)) {
      const { modifiedCount } = await notifications.bulkWrite(updates, { ordered: false })
      changed += modifiedCount
    }
    return changed
  }

  return async (given) => {
    let changed = 0
    for (let left = given; left.length > 0; ) {
      const plans = left.map(toPlan)
      changed += await maskThose(plans)
      const changes = plans.flatMap(toFanOutChange)
      if (changes.length === 0) return changed
      const { matchedCount, modifiedCount } = await fanOuts.bulkWrite(changes, { ordered: false })
      changed += modifiedCount
      if (matchedCount === changes.length) return changed
      // Another process changed some meanwhile: they are read and erased again.
      const keys = left.map(({ document }) => document._id)
      const found = await fanOuts.find({ _id: { $in: keys } }, readLimits).toArray()
      const personsOf = new Map(left.map(({ document, persons }) => [hex(document._id), persons]))
      left = found.map((document) => ({ document, persons: personsOf.get(hex(document._id)) as ErasedById }))
    }
    return changed
  }
}

const hex = (binary: Binary) => binary.toString('hex')

function toPlan(fanOut: FanOutToErase): Plan {
  const { document, persons } = fanOut
  const recipients = bytesIn(document.recipients)
  const positions: number[] = []
  for (const id of persons.keys()) {
    const position = positionOf(recipients, uuidToBytes(id))
    if (position !== undefined) positions.push(position)
  }
  return {
    ...fanOut,
    author: personOf(document.actorId, persons),
    subject: document.subjectId && personOf(document.subjectId, persons),
    positions: positions.filter((position) => !isErased(document, position)),
  }
}

/** Also by the pseudonym, because a notification may be stored unmasked after its fan-out was masked. */
function personOf(id: Binary, persons: ErasedById): ErasedPerson | undefined {
  const text = uuidIn(id)
  return persons.get(text) ?? [...persons.values()].find(({ pseudonym }) => pseudonym === text)
}

function positionOf(recipients: Buffer, id: Uint8Array): number | undefined {
  for (let at = recipients.indexOf(id); at >= 0; at = recipients.indexOf(id, at + 1)) if (at % 16 === 0) return at / 16
  return undefined
}

const isErased = ({ erased }: FanOutDocument, position: number) =>
  erased !== undefined && [...decodePositions(bytesIn(erased))].includes(position)

/** The keys of the notifications that recipients may still have. */
function* keysOf(document: FanOutDocument): Generator<Binary> {
  const [recipients, gone] = [bytesIn(document.recipients), gonePositions(document)]
  const [subscriber, id] = [bytesIn(document._id).subarray(0, 16), bytesIn(document._id).subarray(16)]
  for (let position = 0; position * 16 < recipients.length; position++) {
    if (!gone.has(position)) yield new Binary(Buffer.concat([subscriber, recipientAt(recipients, position), id]))
  }
}

type Change = {
  readonly $set: Partial<NotificationDocument>
  readonly $max: { readonly updatedAt: Date | undefined }
}

function changeOf({ author, subject: known, persons }: Plan, found: NotificationDocument): Change | undefined {
  const subject = known ?? personOf(found.subjectId, persons)
  if (author === undefined && subject === undefined) return undefined
  return {
    $set: {
      ...(subject === undefined ? {} : { subjectId: toUuidBinary(subject.pseudonym) }),
      ...(author === undefined
        ? {}
        : {
            actorId: toUuidBinary(author.pseudonym),
            actorName: '',
            actorImage: '',
            metadata: maskMetadata(found.metadata),
          }),
    },
    $max: { updatedAt: latest(author?.until, subject?.until) },
  }
}

function* updatesOf(masked: readonly { readonly plan: Plan; readonly change: Change }[]) {
  for (const { plan, change } of masked) {
    for (const _id of keysOf(plan.document)) yield { updateOne: { filter: { _id }, update: change } } as never
  }
}

function toFanOutChange({ document, persons, author, subject, positions }: Plan) {
  const { _id, erased, content, actorId, subjectId } = document
  const maskedContent = content === undefined ? undefined : maskContent(content, persons)
  const isSame =
    positions.length === 0 &&
    maskedContent === content &&
    (author === undefined || uuidIn(actorId) === author.pseudonym) &&
    (subject === undefined || (subjectId !== undefined && uuidIn(subjectId) === subject.pseudonym))
  if (isSame) return []
  const $set: Partial<FanOutDocument> = {
    ...(author === undefined ? {} : { actorId: toUuidBinary(author.pseudonym) }),
    ...(subject === undefined ? {} : { subjectId: toUuidBinary(subject.pseudonym) }),
    ...(positions.length === 0 ? {} : withoutRecipients(document, positions)),
    ...(maskedContent === content ? {} : { content: maskedContent as string }),
  }
  const filter = {
    _id,
    erased: erased ?? { $exists: false },
    ...(maskedContent === content ? {} : { content: content as string }),
  }
  return [{ updateOne: { filter, update: { $set } } } as never]
}

/** Positions stay as they are, so the bytes of a recipient become zeros. */
function withoutRecipients({ recipients, erased }: FanOutDocument, positions: readonly number[]) {
  const bytes = Buffer.from(bytesIn(recipients))
  for (const position of positions) recipientAt(bytes, position).fill(0)
  const all = [...(erased === undefined ? [] : decodePositions(bytesIn(erased))), ...positions]
  return { recipients: new Binary(bytes), erased: new Binary(encodePositions(all.sort((a, b) => a - b))) }
}

function maskContent(content: string, persons: ErasedById): string {
  const notification = fromContent(content)
  const erased = erasedIn(notification, (_, id) => persons.get(id))
  return erased.size === 0 ? content : toContent(maskNotification(notification, erased))
}
