import { at, subscriberId, uuid } from '@herald/mongo/testing'
import type { Db } from 'mongodb'
import type { Erasure } from './erasure-document.ts'
import type { ErasureProgress, Erasures } from './erasures.ts'

export const [ada, bob, cleo] = [uuid(2), uuid(3), uuid(4)]

/** The n-th erasure. */
export function erasure(n: number, personId: string, seconds: number, changes: Partial<Erasure> = {}): Erasure {
  return { subscriberId, eventId: uuid(70_000 + n), time: at(seconds), personId, ...changes }
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
