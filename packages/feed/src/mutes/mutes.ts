import { formatTimestamp, limits, type MuteKind } from '@herald/contracts'
import { toKey, userReads } from '@herald/mongo'
import type { Filter } from 'mongodb'
import type { FeedCollections, MuteDocument } from '../documents/collections.ts'
import type { FeedOwner } from '../documents/notification-document.ts'
import { muteKey, mutesOfSubscriber, readMuteKey } from './mute-key.ts'

export type MuteTarget = { readonly kind: MuteKind; readonly id: string }

/** As responses show it. */
export type Mute = MuteTarget & { readonly until: string | null }

/** The mutes of one user. They change nothing that is stored. */
export type Mutes = {
  /** Last set first, without those that are over. */
  list(now: Date): Promise<readonly Mute[]>
  /** Replaces an earlier one. Returns `undefined` if the user has too many others. */
  set(target: MuteTarget, until: Date | undefined, now: Date): Promise<Mute | undefined>
  remove(target: MuteTarget): Promise<void>
}

export function createMutes({ mutes }: Pick<FeedCollections, 'mutes'>) {
  return ({ subscriberId, recipientId }: FeedOwner): Mutes => {
    const user = toKey(subscriberId, recipientId)
    const keyOf = ({ kind, id }: MuteTarget) => muteKey(subscriberId, kind, id, recipientId)
    const own = (now: Date): Filter<MuteDocument> => ({
      user,
      _id: mutesOfSubscriber(subscriberId),
      ...notOver(now),
    })
    const options = { ...userReads, hint: 'user' } as const

    const hasRoom = async (target: MuteTarget, now: Date): Promise<boolean> => {
      const count = await mutes.countDocuments(own(now), { ...options, limit: limits.mutes })
      return count < limits.mutes || (await mutes.findOne({ _id: keyOf(target), ...notOver(now) }, userReads)) !== null
    }

    return {
      async list(now) {
        const found = await mutes.find(own(now), options).sort({ setAt: -1, _id: 1 }).toArray()
        return found.map(({ _id, until }) => toMute(readMuteKey(_id), until))
      },
      async set(target, until, now) {
        if (!(await hasRoom(target, now))) return undefined
        const document = { v: 1, user, setAt: now, ...(until === undefined ? {} : { until }) } as const
        await mutes.replaceOne({ _id: keyOf(target) }, document, { upsert: true })
        return toMute(target, until)
      },
      remove: async (target) => void (await mutes.deleteOne({ _id: keyOf(target) })),
    }
  }
}

const notOver = (now: Date) => ({ $or: [{ until: { $exists: false } }, { until: { $gt: now } }] })

const toMute = ({ kind, id }: MuteTarget, until: Date | undefined): Mute => ({
  kind,
  id,
  until: until === undefined ? null : formatTimestamp(until),
})
