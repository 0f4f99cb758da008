import { derivedId } from './derived-id.ts'
import { change, type Event, erasure, mention, retraction } from './events.ts'

/** A random generator with a seed (mulberry32), so that a failure can be repeated. */
export function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    below,
    shuffled<T>(items: readonly T[]): T[] {
      const copy = [...items]
      for (let i = copy.length - 1; i > 0; i--) {
        const j = below(i + 1)
        ;[copy[i], copy[j]] = [copy[j] as T, copy[i] as T]
      }
      return copy
    },
  }
}

const idOf = (kind: number, n: number) =>
  `00000000-0000-4000-9${String(kind).padStart(3, '0')}-${String(n).padStart(12, '0')}`
const person = (n: number) => idOf(2, n)
const subscribers = 9
const persons = 40
const locations = 400

/** Subscribers of one delivery: their ids begin with these eight digits, and end alike in all worlds. */
export type World = { readonly prefix: string; readonly start: number }
const subscriber = ({ prefix }: World, n: number) => prefix + idOf(1, n).slice(prefix.length)

/** Events in one order: 84 of 100 are mentions, 10 retractions, 5 changes; and twenty erasures of persons in all. */
export function makeEvents(
  count: number,
  seed: number,
  world: World,
): { topic: 'mention' | 'change' | 'privacy'; event: Event }[] {
  const { below } = createRandom(seed)
  const mentions: Event[] = []
  return Array.from({ length: count }, (_, n) => {
    const time = new Date(world.start + n).toISOString()
    const attributes = { id: `event-${n}`, time }
    const subscriberid = subscriber(world, below(subscribers))
    const place = () => ({ locationType: 'comment', locationId: idOf(3, below(locations)) })
    const user = person(below(persons))
    if (n % Math.ceil(count / 20) === 7) {
      return { topic: 'privacy', event: erasure({ ...attributes, subscriberid }, user) } as const
    }
    if (n % 10 === 3) {
      const some = below(2) === 0 ? {} : { recipientIds: [person(below(persons)), person(below(persons))] }
      const target = mentions[below(mentions.length)]
      if (below(2) === 0 || target === undefined) {
        return {
          topic: 'mention',
          event: retraction({ ...attributes, subscriberid }, { ...place(), ...some }),
        } as const
      }
      const one = { notificationId: derivedId(target), ...some }
      const event = retraction({ ...attributes, subscriberid: target.subscriberid }, one)
      return { topic: 'mention', event } as const
    }
    if (n % 20 === 4) {
      const by = { user: { id: user, name: 'Ada', email: 'ada@mail.example' } }
      return { topic: 'change', event: change({ ...attributes, subscriberid }, by) } as const
    }
    const recipients = [...new Set([person(below(persons)), person(below(persons))])]
    const event = mention(
      recipients,
      { ...attributes, subscriberid },
      {
        ...place(),
        subjectId: person(below(persons)),
        actor: { id: user, name: 'Ada', image: '' },
      },
    )
    mentions.push(event)
    return { topic: 'mention', event } as const
  })
}

/** The notifications that must be left, whatever the order: subscriber, recipient and id, sorted. */
export function expectedKeys(all: readonly { readonly event: Event }[]): string[] {
  const byType = Map.groupBy(all, ({ event }) => event.type)
  const eventsOf = (type: string) => (byType.get(type) ?? []).map(({ event }) => event)
  const erasedUntil = new Map<string, string>()
  for (const { subscriberid, data, time } of eventsOf('herald.person.erased.v1')) {
    const key = `${subscriberid} ${data.personId}`
    if ((erasedUntil.get(key) ?? '') < time) erasedUntil.set(key, time)
  }
  const retractions = Map.groupBy(eventsOf('herald.mention.retracted.v1'), ({ subscriberid, data }) =>
    String(data.notificationId ?? `${subscriberid} ${data.locationId}`),
  )
  return eventsOf('herald.mention.created.v1')
    .flatMap((event) => {
      const { subscriberid, data, time } = event
      const id = derivedId(event)
      const byId = retractions.get(id) ?? []
      const byLocation = (retractions.get(`${subscriberid} ${data.locationId}`) ?? []).filter((one) => time <= one.time)
      const applying = [...byId, ...byLocation].map((one) => one.data.recipientIds as string[] | undefined)
      return (data.recipientIds as string[])
        .filter((recipient) => !applying.some((some) => some === undefined || some.includes(recipient)))
        .filter((recipient) => time > (erasedUntil.get(`${subscriberid} ${recipient}`) ?? ''))
        .map((recipient) => [subscriberid, recipient, id].join('').replaceAll('-', ''))
    })
    .sort()
}
