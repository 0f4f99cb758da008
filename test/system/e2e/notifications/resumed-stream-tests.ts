import { describe, expect, test } from '@jest/globals'
import { openEventStream } from '../support/event-stream.ts'
import { createFor } from '../support/notifications.ts'
import type { OwnHerald } from '../support/own-herald.ts'
import type { Notification } from '../support/spec-shapes.ts'

const idsIn = (events: { data: unknown }[]) => events.map(({ data }) => (data as Notification).id)

export function describeResumedStream(herald: () => OwnHerald): void {
  describe('a stream of a query that is restarted', () => {
    test('resuming with the last id returns each missed notification once and in order', async () => {
      const user = await herald().newUser()
      const open = (lastEventId?: string) => openEventStream(herald().baseUrl, user.token, lastEventId)
      const stream = await open()
      await stream.until('heartbeat')
      const before = await createFor(user)
      await stream.until('notification')
      await stream.close()

      const missed = [await createFor(user), await createFor(user)]
      await herald().query.restart()
      missed.push(await createFor(user))
      const again = await open(stream.lastId())
      await again.until('heartbeat')
      expect(idsIn(again.named('notification'))).toEqual(missed)
      expect(again.named('reset')).toEqual([])
      const after = await createFor(user)
      expect(idsIn(await again.until('notification', 4))).toEqual([...missed, after])
      expect(missed).not.toContain(before)
      await again.close()
    })
  })
}
