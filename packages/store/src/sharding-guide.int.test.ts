import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import { changeEntry } from './change-entries/change-entry.fixture.ts'
import { createTestStore, idAt, newNotification } from './store.fixture.ts'

const { store, database, drop } = createTestStore('sharding-guide')
beforeAll(() => store.migrate())
afterAll(drop)

/** Runs the block of deploy/README.md that creates ranges, and returns their bounds by collection. */
function boundsInGuide(): Map<string, Binary[]> {
  const guide = readFileSync(new URL('../../../deploy/README.md', import.meta.url), 'utf8')
  const [script = ''] = /^ {4}const bytesOfIds .*\n(^ {4}.*\n)+/m.exec(guide) ?? []
  const bounds = new Map<string, Binary[]>()
  const splitAt = (namespace: string, { _id }: { _id: Binary }) => {
    const name = namespace.replace(/^herald\./, '')
    bounds.set(name, [...(bounds.get(name) ?? []), _id])
  }
  new Function('sh', 'Binary', script)({ splitAt }, Binary)
  return bounds
}

test('the ranges in the guide to sharding divide the ids of subscribers evenly', async () => {
  for (let first = 0; first < 16; first++) {
    const subscriberId = `${first.toString(16)}0000000-7c1b-4def-8abc-000000000001`
    await store.notifications.insertNew([newNotification(idAt(first), { subscriberId })])
    await store.changeEntries.insertNew([changeEntry({ id: idAt(first), subscriberId })])
  }
  const bounds = boundsInGuide()
  expect([...bounds.keys()]).toEqual(['notifications', 'change-entries', 'fan-outs'])
  for (const [name, ids] of bounds) {
    const collection = database.collection<{ _id: Binary }>(name)
    const below = await Promise.all(ids.map((_id) => collection.countDocuments({ _id: { $lt: _id } })))
    expect([name, below]).toEqual([name, Array.from({ length: 15 }, (_, i) => i + 1)])
  }
})
