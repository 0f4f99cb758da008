import { setTimeout as sleep } from 'node:timers/promises'
import type { HeraldTopics } from '@herald/test-servers'
import { Kafka, logLevel, Partitioners, type TopicMessages } from 'kafkajs'
import { uuidOf } from '../oracle/announced-notification.ts'
import { derivedId, plannedUuid } from '../oracle/derived-id.ts'
import type { PartContext } from '../part.ts'

/** A person, by number. */
export type Person = number

const peopleCount = 12
export const peopleSubscriber = plannedUuid(7, 1)
export const bytesOfPerson = (person: Person) => plannedUuid(8, person)
export const nameOf = (person: Person) => `Erasable ${String(person).padStart(2, '0')}`
const subscriberId = uuidOf(peopleSubscriber)
const idOf = (person: Person) => uuidOf(bytesOfPerson(person))

/** A mention and a change entry of the same number. */
export type PeopleEvent = { n: number; author: Person; subject: Person; recipients: readonly Person[] }

/** Events about a few people of one subscriber that no other event is of, and erasures of these people. */
export type People = {
  events: readonly PeopleEvent[]
  erased: ReadonlySet<Person>
  /** The numbers of the mentions that were retracted from everybody. */
  retracted: ReadonlySet<number>
  /** The id of a mention or a change entry. */
  idOf(event: PeopleEvent, kind: 'mention' | 'change'): Buffer
  /** Publishes events of people who are not erased. */
  publish(count: number): Promise<void>
  /** Publishes some of all events again, in any order. */
  repeat(count: number): Promise<void>
  /** Erases the next person from everything that was published so far, and from some events that are published later. */
  eraseNext(): Promise<void>
  /** Retracts some mentions that were published, every other one by its location. */
  retract(count: number): Promise<void>
  /** Publishes the events about persons who were erased before. */
  publishLate(): Promise<void>
  stop(): Promise<void>
}

type PeopleOptions = { broker: string; topics: HeraldTopics; source: string; baseMs: number }

const lateCount = 60
const messagesAtOnce = 300
const types = { mention: 'herald.mention.created.v1', change: 'herald.change.recorded.v1' } as const

async function startPeople({ broker, topics, source, baseMs }: PeopleOptions): Promise<People> {
  const kafka = new Kafka({ clientId: 'faults-people', brokers: broker.split(','), logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const events: PeopleEvent[] = []
  const erased = new Set<Person>()
  const retracted = new Set<number>()
  let late: PeopleEvent[] = []

  const toMessage = (type: string, id: string, time: number, data: object) => ({
    key: subscriberId,
    value: JSON.stringify({
      specversion: '1.0',
      id,
      source,
      type,
      time: new Date(time).toISOString(),
      subscriberid: subscriberId,
      data,
    }),
    headers: { 'content-type': 'application/cloudevents+json' },
  })

  const toMessages = (some: readonly PeopleEvent[]): TopicMessages[] => [
    {
      topic: topics.mention,
      messages: some.map((event) => toMessage(types.mention, `mention-${event.n}`, baseMs + event.n, mentionOf(event))),
    },
    {
      topic: topics.change,
      messages: some.map((event) => toMessage(types.change, `change-${event.n}`, baseMs + event.n, changeOf(event))),
    },
  ]

  /** Until the broker has accepted them: a second delivery is one of those that the test wants. */
  const sendOnce = async (topicMessages: TopicMessages[]): Promise<void> => {
    for (;;) {
      try {
        await producer.sendBatch({ topicMessages })
        return
      } catch {
        await sleep(500)
      }
    }
  }

  /** In parts, because a topic limits the size of what is sent to it at once. */
  const send = async (topicMessages: TopicMessages[]): Promise<void> => {
    const most = Math.max(...topicMessages.map(({ messages }) => messages.length))
    for (let from = 0; from < most; from += messagesAtOnce) {
      const part = topicMessages.map(({ topic, messages }) => ({
        topic,
        messages: messages.slice(from, from + messagesAtOnce),
      }))
      await sendOnce(part.filter(({ messages }) => messages.length > 0))
    }
  }

  const left = () => Array.from({ length: peopleCount }, (_, person) => person).filter((person) => !erased.has(person))
  const make = (people: readonly Person[], count: number): PeopleEvent[] => {
    const at = (index: number) => people[index % people.length] as Person
    const first = events.length
    for (let n = first; n < first + count; n++) {
      events.push({ n, author: at(n), subject: at(n * 3 + 1), recipients: [...new Set([at(n + 1), at(n * 5 + 2)])] })
    }
    return events.slice(first)
  }

  const idOfEvent: People['idOf'] = ({ n }, kind) => derivedId(peopleSubscriber, source, `${kind}-${n}`, baseMs + n)
  const targetOf = (event: PeopleEvent) =>
    event.n % 2 === 0
      ? { notificationId: uuidOf(idOfEvent(event, 'mention')) }
      : { locationType: 'comment', locationId: locationOf(event) }

  return {
    events,
    erased,
    retracted,
    idOf: idOfEvent,
    publish: (count) => send(toMessages(make(left(), count))),
    async publishLate() {
      const some = late
      late = []
      if (some.length > 0) await send(toMessages(some))
    },
    async repeat(count) {
      const step = Math.max(1, Math.floor(events.length / count))
      const some = events.filter((event) => event.n % step === 0 && !late.includes(event))
      await send(toMessages(some.reverse()))
    },
    async eraseNext() {
      const [people, person] = [left(), erased.size]
      erased.add(person)
      const time = baseMs + events.length + lateCount
      const message = toMessage('herald.person.erased.v1', `erasure-${person}`, time, { personId: idOf(person) })
      await send([{ topic: topics.privacy, messages: [message] }])
      late.push(...make(people, lateCount))
    },
    async retract(count) {
      const isLeft = (event: PeopleEvent) => !retracted.has(event.n) && !late.includes(event)
      const some = events.filter(isLeft).slice(-count)
      for (const { n } of some) retracted.add(n)
      const messages = some.map((event) =>
        toMessage('herald.mention.retracted.v1', `retraction-${event.n}`, baseMs + event.n + 1, targetOf(event)),
      )
      if (messages.length > 0) await send([{ topic: topics.mention, messages }])
    },
    stop: () => producer.disconnect(),
  }
}

const locationOf = ({ n }: Pick<PeopleEvent, 'n'>) => uuidOf(plannedUuid(9, n))

const mentionOf = ({ n, author, subject, recipients }: PeopleEvent) => ({
  actor: { id: idOf(author), name: nameOf(author), image: '' },
  actorType: 'user',
  subjectId: idOf(subject),
  subjectType: 'user',
  locationId: locationOf({ n }),
  locationType: 'comment',
  metadata: { mention: { mentionerName: nameOf(author), snippet: `people ${n}`, entityType: 'portfolio' } },
  recipientIds: recipients.map(idOf),
})

const changeOf = ({ n, author }: PeopleEvent) => ({
  user: { id: idOf(author), name: nameOf(author), email: '' },
  entityType: 'portfolio',
  entityId: `people-${n}`,
  entityTitle: 'Growth',
  actionType: 'update',
  changedField: 'name',
  beforeState: n,
  afterState: null,
})

/** Starts those of a campaign, with events of the time of its own. */
export const startPeopleOf = ({ campaign: { topics, plan }, stack }: PartContext): Promise<People> =>
  startPeople({ broker: stack.broker.direct, topics, source: `${plan.source}:people`, baseMs: plan.baseMs })
