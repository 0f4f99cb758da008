import { randomUUID } from 'node:crypto'
import type { Store } from '@herald/store'
import { pause } from '../until.ts'
import type { Answers } from './answers.ts'
import { announceBody, askWithoutReading, holdMany, stallBody } from './held-requests.ts'
import { fillFeed, largeCreation, type Person } from './large-data.ts'
import { keepAsking } from './repeated-requests.ts'

export type ShareSizes = {
  readonly bodies: number
  readonly streams: number
  readonly eventsOfStream: number
}

export type ShareScene = {
  readonly query: string
  readonly ingest: string
  readonly store: Pick<Store, 'notifications'>
  readonly sizes: ShareSizes
  /** From a refusal until the attacker's next request: less than `Retry-After` says. */
  readonly afterRefusalMs: number
  /** A user for each attack, so that each has a rate limit of its own. Their subscriber has a large change log. */
  readonly attackers: Attackers
  /** Several users of two subscribers: one alone cannot open thousands of streams. */
  readonly readers: readonly Person[]
}

export type Attackers = Readonly<Record<Attacker, Person>>
/** `lists` has a large feed, `announced` a page of large notifications. */
type Attacker = 'lists' | 'announced' | 'exports' | 'held exports' | 'marks' | 'single marks' | 'creations' | 'bodies'

/** Begins an attack. @returns a function that ends it */
type ShareAttack = (scene: ShareScene, answers: Answers) => Promise<() => Promise<void>>

const [lists, exports, marks, creations] = [40, 40, 100, 70]
const eventBytes = 15_000
const singleMarks = { notifications: 400, bytes: 500 } as const
const [unreadAtOnce, fillEveryMs] = [100, 250]
/** The client reads as fast as it can, and no faster than several of it could. */
const fastExports = 20

const single: Readonly<Record<string, ShareAttack>> = {
  'filtered lists': async ({ query, attackers, afterRefusalMs }, answers) => {
    const { token } = attackers.lists
    const next = () => ({ url: `${query}/?subjectId=${randomUUID()}`, token })
    return keepAsking({ atOnce: lists, afterRefusalMs }, next, answers)
  },
  'groups of a large feed': async ({ query, attackers, afterRefusalMs }, answers) => {
    const { token } = attackers.lists
    const next = () => ({ url: `${query}/notifications/groups?limit=50`, token })
    return keepAsking({ atOnce: lists, afterRefusalMs }, next, answers)
  },
  'exports, read as fast as possible': async ({ query, attackers, afterRefusalMs }, answers) => {
    const next = () => ({ url: `${query}/change-entries/all`, token: attackers.exports.token })
    return keepAsking({ atOnce: fastExports, afterRefusalMs }, next, answers)
  },
  'exports without a reader': ({ query: url, attackers }, answers) => {
    const { token } = attackers['held exports']
    return holdMany(exports, () => askWithoutReading({ url, token }, '/change-entries/all'), answers)
  },
  'bulk marks': async ({ query, store, attackers, afterRefusalMs }, answers) => {
    const { token } = attackers.marks
    const mark = { url: `${query}/notifications/read`, token, body: JSON.stringify({ all: true }) }
    const endMarks = keepAsking({ atOnce: marks, afterRefusalMs }, () => mark, answers)
    const endFilling = keepFilling(store, attackers.marks)
    return async () => void (await Promise.all([endMarks(), endFilling()]))
  },
  'marks of single notifications': async ({ query, store, attackers, afterRefusalMs }, answers) => {
    const { token } = attackers['single marks']
    const ids = await fillFeed(store, attackers['single marks'], singleMarks.notifications, singleMarks.bytes)
    // Each of them changes something: all become read, and then unread.
    const next = (n: number) => {
      const state = Math.floor(n / ids.length) % 2 === 0 ? 'read' : 'unread'
      return { url: `${query}/notifications/${ids[n % ids.length]}/${state}`, token, method: 'PATCH' } as const
    }
    return keepAsking({ atOnce: marks, afterRefusalMs }, next, answers)
  },
  'large creations': async ({ ingest, attackers, afterRefusalMs }, answers) => {
    const next = () => ({ url: `${ingest}/`, token: attackers.creations.token, body: largeCreation() })
    return keepAsking({ atOnce: creations, afterRefusalMs }, next, answers)
  },
  'bodies that do not end': ({ ingest: url, attackers, sizes }, answers) =>
    holdMany(sizes.bodies, () => stallBody({ url, token: attackers.bodies.token }), answers),
  'announced bodies of GET that do not come': ({ query: url, attackers, sizes }, answers) =>
    holdMany(sizes.bodies, () => announceBody({ url, token: attackers.announced.token }, '/'), answers),
  'streams without a reader': async ({ query: url, store, readers, sizes }, answers) => {
    const tokenOf = (n: number) => readers[n % readers.length]?.token ?? ''
    const openOne = (n: number) => askWithoutReading({ url, token: tokenOf(n) }, '/notifications/stream')
    const close = await holdMany(sizes.streams, openOne, answers)
    for (const reader of readers) {
      await fillFeed(store, reader, sizes.eventsOfStream, eventBytes)
      await pause(fillEveryMs)
    }
    return close
  },
}

export const allAtOnce = 'all of them at once by one user'

/** Each by itself, and then all of them at once. */
export const shareAttacks: Readonly<Record<string, ShareAttack>> = {
  ...single,
  [allAtOnce]: async (scene, answers) => {
    const ends = await Promise.all(Object.values(single).map((attack) => attack(scene, answers)))
    return async () => void (await Promise.all(ends.map((end) => end())))
  },
}

/** So that there is always something to mark, though no more than a publisher sends for one user. */
function keepFilling(store: ShareScene['store'], person: Person): () => Promise<void> {
  let isOver = false
  const fill = async () => {
    while (!isOver) {
      await fillFeed(store, person, unreadAtOnce, eventBytes)
      await pause(fillEveryMs)
    }
  }
  const running = fill()
  return () => {
    isOver = true
    return running
  }
}
