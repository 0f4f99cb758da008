import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ChangeEntry } from './contract-types.ts'
import type { TestHerald } from './herald.fixture.ts'

let herald: TestHerald

const ceType = 'herald.change.recorded.v1'
const publish = (subscriberId: string, titles: readonly string[], time = new Date()) =>
  herald.publish(
    herald.topics.change,
    titles.map((entityTitle) => ({
      key: subscriberId,
      headers: { 'content-type': 'application/cloudevents+json' },
      value: JSON.stringify({
        ...{ specversion: '1.0', type: ceType, source: '/follow', id: entityTitle, time, subscriberid: subscriberId },
        data: {
          user: { id: randomUUID(), name: 'Ada', email: '' },
          ...{ entityType: 'portfolio', entityId: 'p-1', entityTitle, actionType: 'update', changedField: 'name' },
          ...{ beforeState: null, afterState: 1 },
        },
      }),
    })),
  )
const titlesOf = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix} ${n}`)

export function describeFollowChanges(running: () => TestHerald): void {
  beforeAll(() => {
    herald = running()
  })

  describe('the change log in its recorded order', () => {
    test('follows the log through restarts of query and of the sequencer, each entry once', async () => {
      const { subscriberId, client } = await herald.newUser({ scope: 'change-entries:read' })
      const stopping = new AbortController()
      const seen: string[] = []
      let cursor = ''
      const follow = async (after: string | undefined, count: number) => {
        const pages = client.changeEntries.followChanges({ cursor: after, signal: stopping.signal })
        for await (const page of pages) {
          seen.push(...page.changeEntries.map(({ entityTitle }: ChangeEntry) => entityTitle))
          cursor = page.cursor
          if (seen.length >= count) return
        }
      }
      const published = titlesOf('first', 250)
      await publish(subscriberId, published)
      await follow(undefined, 250)
      const following = follow(cursor, 400)
      await herald.seal.restart()
      const during = titlesOf('during', 100)
      const restarting = herald.query.restart()
      await publish(subscriberId, during)
      await restarting
      const late = titlesOf('late', 50)
      await publish(subscriberId, late, new Date(Date.now() - 3_600_000))
      await following
      expect(seen).toHaveLength(400)
      expect(seen.slice(0, 250).sort()).toEqual([...published].sort())
      expect(seen.slice(250, 350).sort()).toEqual([...during].sort())
      expect(seen.slice(350).sort()).toEqual([...late].sort())
    })

    test('throws for a cursor that is none of this log, and the reason of its signal', async () => {
      const { client } = await herald.newUser({ scope: 'change-entries:read' })
      const wrong = client.changeEntries.followChanges({ cursor: 'x' })
      await expect(wrong.next()).rejects.toMatchObject({ status: 400, code: 'validation_failed' })
      const empty = client.changeEntries.followChanges()
      const { value } = await empty.next()
      expect(value).toMatchObject({ changeEntries: [], lagSeconds: expect.any(Number) })
      const stopping = new AbortController()
      const waiting = client.changeEntries.followChanges({ cursor: value.cursor, signal: stopping.signal }).next()
      stopping.abort(new Error('Enough'))
      await expect(waiting).rejects.toThrow('Enough')
    })
  })
}
