import type { Binary, Db } from 'mongodb'
import {
  bytesOfPerson,
  nameOf,
  type People,
  type PeopleEvent,
  type Person,
  peopleSubscriber,
} from '../campaign/people.ts'
import { uuidOf } from './announced-notification.ts'
import { keyText, type StoredDocuments } from './stored-documents.ts'
import { rangeOf } from './subscriber-range.ts'
import type { Violations } from './violations.ts'

export type PeopleFigures = { events: number; erased: number; compared: number; traces: number }

const ofPeople = {
  notifications: rangeOf(peopleSubscriber, 'notifications'),
  changeEntries: rangeOf(peopleSubscriber, 'changeEntries'),
} as const

/** The documents of all collections that contain an erased person: the id in bytes or as text, or the name. */
export async function countTraces(database: Db, erased: Iterable<Person>): Promise<Map<string, number>> {
  const needles = [...erased].flatMap((person) => [
    ...[bytesOfPerson(person), Buffer.from(uuidOf(bytesOfPerson(person))), Buffer.from(nameOf(person))],
  ])
  const found = new Map<string, number>()
  for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
    for await (const raw of database.collection(name).find({}, { raw: true, batchSize: 5_000 })) {
      const bytes = Buffer.from(raw as unknown as Uint8Array)
      if (needles.some((needle) => bytes.includes(needle))) found.set(name, (found.get(name) ?? 0) + 1)
    }
  }
  return found
}

const notificationKeys = (people: People, event: PeopleEvent, recipients: readonly Person[]) =>
  recipients.map((recipient) =>
    Buffer.concat([peopleSubscriber, bytesOfPerson(recipient), people.idOf(event, 'mention')]),
  )

/** The number of stored notifications of mentions that were retracted. */
export async function countRetracted(stored: StoredDocuments, people: People): Promise<number> {
  const retracted = people.events.filter(({ n }) => people.retracted.has(n))
  const keys = retracted.flatMap((event) => notificationKeys(people, event, event.recipients))
  return (await stored.find(stored.notifications, keys, { projection: { _id: 1 } })).size
}

type PeopleCheck = { people: People; stored: StoredDocuments; violations: Violations }

/**
 * Compares what is stored of the events of people: all of it, and nothing else. An erased person has no notification, and one
 * pseudonym everywhere.
 */
export async function comparePeople({ people, stored, violations }: PeopleCheck): Promise<number> {
  const { events, erased, retracted } = people
  const pseudonyms = new Map<Person, string>()
  const isRight = (person: Person, found: unknown): boolean => {
    const id = (found as Binary).toString('hex')
    const real = bytesOfPerson(person).toString('hex')
    if (!erased.has(person)) return id === real
    const known = pseudonyms.get(person)
    if (known === undefined) pseudonyms.set(person, id)
    return id !== real && (known ?? id) === id
  }
  const nameIn = (person: Person) => (erased.has(person) ? '' : nameOf(person))
  let compared = 0

  const compare = async (
    name: 'notifications' | 'changeEntries',
    expected: readonly { key: Buffer; isEqual: (document: Record<string, unknown>) => boolean }[],
  ) => {
    const found = await stored.find(
      stored[name],
      expected.map(({ key }) => key),
    )
    for (const { key, isEqual } of expected) {
      const document = found.get(key.toString('hex'))
      if (document === undefined) violations.add('lost', `${name} ${key.toString('hex')} of people`)
      else if (!isEqual(document)) violations.add('content', `${name} ${keyText(document)} of people`)
      compared++
    }
    const count = await stored[name].countDocuments(ofPeople[name])
    if (count !== expected.length) {
      violations.add('unexpected', `${name}: ${count} documents of people, not ${expected.length}`)
    }
  }

  await compare(
    'notifications',
    events.flatMap((event) => {
      const left = event.recipients.filter((recipient) => !erased.has(recipient) && !retracted.has(event.n))
      return notificationKeys(people, event, left).map((key) => ({
        key,
        isEqual: ({ actorId, actorName, subjectId, metadata }) =>
          isRight(event.author, actorId) &&
          isRight(event.subject, subjectId) &&
          actorName === nameIn(event.author) &&
          JSON.parse(String(metadata)).mention.snippet === (erased.has(event.author) ? '' : `people ${event.n}`),
      }))
    }),
  )
  await compare(
    'changeEntries',
    events.map((event) => ({
      key: Buffer.concat([peopleSubscriber, people.idOf(event, 'change')]),
      isEqual: ({ userId, userName, entityId }) =>
        isRight(event.author, userId) && userName === nameIn(event.author) && entityId === `people-${event.n}`,
    })),
  )
  if (new Set(pseudonyms.values()).size !== pseudonyms.size) violations.add('content', 'two people have one pseudonym')
  return compared
}

/** Removes them, so that the stored documents are those of the plan again. */
export async function removePeople(stored: StoredDocuments): Promise<void> {
  await stored.notifications.deleteMany(ofPeople.notifications)
  await stored.changeEntries.deleteMany(ofPeople.changeEntries)
}
