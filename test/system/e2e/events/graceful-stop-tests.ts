import { isFullRun } from '@herald/jest-preset/full-run'
import type { StartedService } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'
import { describe, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { idsListed, loadFor, publishLoad } from '../support/load.ts'
import type { OwnHerald } from '../support/own-herald.ts'
import { countStored, idsStored } from '../support/stored.ts'

/** It ends by itself: everything was released before its deadline. */
async function expectGracefulStop(service: StartedService): Promise<void> {
  const lines: string[] = []
  service.onLine((line) => lines.push(line))
  service.kill('SIGTERM')
  expect(await service.exited).toMatchObject({ code: 0, signal: null })
  const ending = lines.filter((line) => /"msg":"(Exiting|Shutdown deadline exceeded)"/.test(line))
  expect(ending.map((line) => JSON.parse(line).msg)).toEqual(['Exiting'])
}

export function describeGracefulStop(herald: () => OwnHerald): void {
  describe('a stopped service', () => {
    test('ingest finishes its records and exits with code 0 at SIGTERM under load, and stores each event exactly once after a restart', async () => {
      const user = await herald().newUser({ scope: 'change-entries:read' })
      const events = isFullRun ? 20_000 : 4_000
      const load = loadFor(user, events)
      const publishing = publishLoad(herald(), load.now)
      const stored = () => countStored(herald().database, user.subscriberId)
      await eventually(async () => (await stored()) > events / 20, { every: 5 })
      await expectGracefulStop(herald().ingest)

      // Records in progress were finished and committed: the store holds exactly the committed ones.
      const published = await publishing
      const { isCommitted } = await herald().progress()
      const { notifications, changeEntries } = await idsStored(herald().database, user.subscriberId)
      const committed = published.filter(isCommitted).map(({ id }) => id)
      expect([...notifications, ...changeEntries].sort()).toEqual(committed.sort())
      expect(committed.length).toBeLessThan(events)

      await publishLoad(herald(), load.later)
      await herald().ingest.restart()
      await eventually(async () => (await stored()) >= events, { within: 60_000, every: 200 })
      expect(await idsStored(herald().database, user.subscriberId)).toEqual(load.stored)
      expect(await idsListed(user)).toEqual(load.stored)
    }, 120_000)

    test('query exits with code 0 at SIGTERM, and serves again after a restart', async () => {
      const user = await herald().newUser({})
      await user.post('/', createBody([user.id]))
      const listed = await user.get('/')
      await expectGracefulStop(herald().query)
      await herald().query.restart()
      expect((await user.get('/')).json).toStrictEqual(listed.json)
    })
  })
}
