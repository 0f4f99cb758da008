import { at, idAt, subscriberId, uuid } from '@herald/mongo/testing'
import type { Db } from 'mongodb'
import type { StoredChangeEntry } from '../documents/change-entry-document.ts'
import type { Erasure } from '../documents/erasure-document.ts'
import type { NewNotification } from '../documents/notification-document.ts'
import { mention } from '../retractions/fan-outs.fixture.ts'
import type { ErasureProgress, Erasures } from './erasures.ts'

export const [ada, bob, cleo] = [uuid(2), uuid(3), uuid(4)]

/** The n-th erasure. */
export function erasure(n: number, personId: string, seconds: number, changes: Partial<Erasure> = {}): Erasure {
  return { subscriberId, eventId: uuid(70_000 + n), time: at(seconds), personId, ...changes }
}

/** The n-th mention, written by Ada to Bob and Cleo. */
export const byAda = (n: number, changes: Partial<NewNotification> = {}) =>
  mention(n, {
    actor: { id: ada, name: 'Ada L.', image: 'ada.png' },
    metadata:
      '{"mention":{"entityType":"e","snippet":"Ada L. wrote","mentionerName":"Ada L."},"add":{"b":1,"a":2},"edit":{}}',
    recipientIds: [bob, cleo],
    ...changes,
  })

/** A change by a user, recorded n seconds after the start. */
export function changeBy(userId: string, seconds: number, changes: Partial<StoredChangeEntry> = {}): StoredChangeEntry {
  return {
    id: idAt(seconds * 1_000, Number.parseInt(userId.slice(-4), 16)),
    subscriberId,
    createdAt: at(seconds),
    user: { id: userId, name: 'Ada', email: 'ada@example.com' },
    entityType: 'portfolio',
    entityId: 'p-1',
    entityTitle: 'Engines',
    actionType: 'update',
    changedField: 'name',
    beforeState: '{"by":"someone"}',
    afterState: 'null',
    ...changes,
  }
}

/** Carries out all open erasures. @returns the progress of each step */
export async function workOff(erasures: Erasures): Promise<ErasureProgress[]> {
  const steps: ErasureProgress[] = []
  for (const open of await erasures.open()) {
    for (let step = await erasures.step(open); step !== undefined; step = await erasures.step(open)) steps.push(step)
  }
  return steps
}

const stored = [
  ...['notifications', 'fan-outs', 'tombstones', 'erasures', 'person-keys', 'change-entries', 'waiting-receipts'],
  ...['create-requests', 'bulk-marks', 'digests', 'mutes', 'seen-marks'],
]

/** Every document of the database that contains a text, or the bytes of a UUID, by collection. */
export async function findTraces(database: Db, { texts, ids }: { texts: readonly string[]; ids: readonly string[] }) {
  const bytes = ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))
  const found: string[] = []
  for (const name of stored) {
    for await (const document of database.collection(name).find({}, { raw: true })) {
      const raw = Buffer.from(document as unknown as Uint8Array)
      if ([...texts, ...ids].some((text) => raw.includes(text)) || bytes.some((id) => raw.includes(id)))
        found.push(name)
    }
  }
  return found
}

export async function clear(database: Db): Promise<void> {
  for (const name of stored) await database.collection(name).deleteMany({})
}
