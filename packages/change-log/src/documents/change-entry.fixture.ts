import { formatTimestamp } from '@herald/contracts'
import { anyText, anyTime, at, bytesOf, idAt, subscriberId, uuid } from '@herald/mongo/testing'
import fc from 'fast-check'
import { type StoredChangeEntry, toChangeEntryDocument } from './change-entry-document.ts'

export const changeEntry = (changes: Partial<StoredChangeEntry> = {}): StoredChangeEntry => ({
  id: uuid(2),
  subscriberId,
  user: { id: uuid(3), name: 'Ada', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: 'Portfolio',
  actionType: 'update',
  changedField: 'name',
  beforeState: 'null',
  afterState: '{"b":1,"a":[true]}',
  createdAt: new Date('2026-01-31T09:30:59.999Z'),
  ...changes,
})

export const documentBytes = (entry: StoredChangeEntry) => bytesOf(toChangeEntryDocument(entry))

/** An entry as specification 2.5 defines it. */
export const served = ({ subscriberId: _, ...entry }: StoredChangeEntry) => ({
  id: entry.id,
  user: { id: entry.user.id, name: entry.user.name, email: entry.user.email },
  entityType: entry.entityType,
  entityId: entry.entityId,
  entityTitle: entry.entityTitle,
  actionType: entry.actionType,
  changedField: entry.changedField,
  createdAt: formatTimestamp(entry.createdAt),
  beforeState: JSON.parse(entry.beforeState),
  afterState: JSON.parse(entry.afterState),
})

export const anyEntry: fc.Arbitrary<StoredChangeEntry> = fc.record({
  id: fc.uuid(),
  subscriberId: fc.uuid(),
  user: fc.record({ id: fc.uuid(), name: anyText, email: anyText }),
  entityType: anyText,
  entityId: anyText,
  entityTitle: anyText,
  actionType: anyText,
  changedField: anyText,
  beforeState: fc.json(),
  afterState: fc.json(),
  createdAt: anyTime,
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
