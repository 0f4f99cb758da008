import { randomUUID } from 'node:crypto'
import type { Store } from '@herald/store'
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
  /** Has a large feed, and a subscriber with a large change log. */
  readonly one: Person
  /** Several users of two subscribers: one alone cannot open thousands of streams. */
  readonly readers: readonly Person[]
}

/** Begins an attack. @returns a function that ends it */
type ShareAttack = (scene: ShareScene, answers: Answers) => Promise<() => Promise<void>>

const [lists, exports, marks, creations] = [40, 40, 100, 70]
const eventBytes = 15_000
const unreadAtOnce = 100
/** The client reads as fast as it can, and no faster than several of it could. */
const fastExports = 20

const single: Readonly<Record<string, ShareAttack>> = {
  'filtered lists': async ({ query, one: { token } }, answers) =>
    keepAsking(lists, () => ({ url: `${query}/?subjectId=${randomUUID()}`, token }), answers),
  'exports, read as fast as possible': async ({ query, one: { token } }, answers) =>
    keepAsking(fastExports, () => ({ url: `${query}/change-entries/all`, token }), answers),
  'exports without a reader': ({ query: url, one: { token } }, answers) =>
    holdMany(exports, () => askWithoutReading({ url, token }, '/change-entries/all'), answers),
  'bulk marks': async ({ query, store, one }, answers) => {
    const mark = { url: `${query}/notifications/read`, token: one.token, body: JSON.stringify({ all: true }) }
    const endMarks = keepAsking(marks, () => mark, answers)
    const endFilling = keepFilling(store, one)
    return async () => void (await Promise.all([endMarks(), endFilling()]))
  },
  'large creations': async ({ ingest, one: { token } }, answers) =>
    keepAsking(creations, () => ({ url: `${ingest}/`, token, body: largeCreation() }), answers),
  'bodies that do not end': ({ ingest: url, one: { token }, sizes }, answers) =>
    holdMany(sizes.bodies, () => stallBody({ url, token }), answers),
  'announced bodies of GET that do not come': ({ query: url, one: { token }, sizes }, answers) =>
    holdMany(sizes.bodies, () => announceBody({ url, token }, '/'), answers),
  'streams without a reader': async ({ query: url, store, readers, sizes }, answers) => {
    const tokenOf = (n: number) => readers[n % readers.length]?.token ?? ''
    const openOne = (n: number) => askWithoutReading({ url, token: tokenOf(n) }, '/notifications/stream')
    const close = await holdMany(sizes.streams, openOne, answers)
    for (const reader of readers) await fillFeed(store, reader, sizes.eventsOfStream, eventBytes)
    return close
  },
}

/** Each by itself, and then all of them at once. */
export const shareAttacks: Readonly<Record<string, ShareAttack>> = {
  ...single,
  'all of them at once': async (scene, answers) => {
    const ends = await Promise.all(Object.values(single).map((attack) => attack(scene, answers)))
    return async () => void (await Promise.all(ends.map((end) => end())))
  },
}

/** So that there is always something to mark. */
function keepFilling(store: ShareScene['store'], person: Person): () => Promise<void> {
  let isOver = false
  const fill = async () => {
    while (!isOver) await fillFeed(store, person, unreadAtOnce, eventBytes)
  }
  const running = fill()
  return () => {
    isOver = true
    return running
  }
}
