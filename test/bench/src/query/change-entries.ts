import type { StoredChangeEntry } from '@herald/change-log'
import { uuidOf } from '../ingest/events.ts'

const firstMillisecond = Date.UTC(2026, 0, 1)

/** A change entry, about 560 bytes as JSON. */
export function changeEntry(subscriberId: string, sequence: number): StoredChangeEntry {
  const createdAt = new Date(firstMillisecond + sequence)
  const user = sequence % 997
  return {
    id: uuidV7Of(createdAt, `entry ${sequence}`),
    subscriberId,
    user: { id: uuidOf(`user ${user}`), name: `User Number ${user}`, email: `user.${user}@example.com` },
    entityType: 'data point',
    entityId: uuidOf(`entity ${sequence % 5_003}`),
    entityTitle: `Energy consumption, site ${sequence % 5_003}`,
    actionType: 'update',
    changedField: 'value',
    beforeState: JSON.stringify({ value: sequence, unit: 'kWh' }),
    afterState: JSON.stringify({ value: sequence + 1, unit: 'kWh', note: 'meter read again' }),
    createdAt,
  }
}

/** A UUIDv7 of this time that is the same on every run. */
export function uuidV7Of(at: Date, name: string): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${uuidOf(name).slice(15)}`
}
