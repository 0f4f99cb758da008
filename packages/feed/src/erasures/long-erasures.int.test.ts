import { createInterceptor, createTestClock, uuid } from '@herald/mongo/testing'
import { ada, erasure, workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { byAda } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { store, database, collections, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)

/** Only one that hangs takes longer, however busy the machine is. */
const hangsAfterMs = 300_000

test(
  'a step ends after a while, however many recipients are left, and the next one continues',
  async () => {
    const recipientIds = Array.from({ length: 5_500 }, (_, n) => uuid(10_000 + n))
    for (let n = 0; n < 4; n++) await store.notifications.insertNew([byAda(n, { recipientIds })])
    const { clock, pass } = createTestClock()
    const { wrap } = createInterceptor(async (_, when) => {
      if (when === 'after') pass(1_000)
    })
    const { erasures } = createWriters(wrap(collections, ['notifications']), { clock })
    await erasures.accept([erasure(1, ada, 10)])
    const steps = (await workOff(erasures)).filter(({ phase }) => phase === 'fan-outs')
    // Two of them are erased at once, which takes 13 s; the third one was read by then.
    expect(steps.map(({ erasedNow }) => erasedNow)).toEqual([3 * 5_501, 5_501])
    expect(await database.collection('notifications').countDocuments({ actorName: '' })).toBe(4 * 5_500)
  },
  hangsAfterMs,
)
