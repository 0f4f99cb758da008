import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { change, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { dataOf } from '../support/notifications.ts'
import { expectProblem } from '../support/problem.ts'

const scope = 'change-entries:read'
let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

test('only users of the subscriber with the scope read a sealed log, its proofs and its checkpoints', async () => {
  const reader = await herald.newUser({ scope })
  const entry = change({ subscriberid: reader.subscriberId })
  await herald.publish(herald.topics.change, [structured(entry)])
  await eventually(async () => (await reader.get('/change-entries/checkpoint')).status === 200)
  const { changeEntries } = dataOf<{ changeEntries: { id: string }[] }>(await reader.get('/change-entries'))
  const id = changeEntries[0]?.id ?? ''
  const paths = [
    ['/change-entries/checkpoint', 404, 'no_such_checkpoint'],
    ['/change-entries/checkpoint/consistency?from=1', 400, 'invalid_size'],
    [`/change-entries/${id}/proof`, 404, 'not_found'],
    ['/change-entries/sealed', 404, 'no_such_checkpoint'],
  ] as const
  const colleague = await herald.newUser({ scope, subscriberId: reader.subscriberId })
  const unscoped = await herald.newUser({ scope: 'notifications:create', subscriberId: reader.subscriberId })
  const strangers = [await herald.newUser({ scope }), await herald.newUser({ scope, id: reader.id })]
  for (const [path, status, code] of paths) {
    const own = await reader.get(path)
    expect([path, own.status]).toEqual([path, 200])
    expect((await colleague.get(path)).text).toBe(own.text)
    expectProblem(await unscoped.get(path), 403, 'missing_scope')
    for (const stranger of strangers) {
      const answer = await stranger.get(path)
      expectProblem(answer, status, code)
      expect(answer.text).not.toContain(reader.subscriberId)
    }
  }
  expectProblem(await unscoped.get('/change-entries/checkpoint/key'), 403, 'missing_scope')
  for (const user of [reader, ...strangers]) {
    const { keys } = dataOf<{ keys: string[] }>(await user.get('/change-entries/checkpoint/key'))
    expect(keys).toEqual([
      expect.stringMatching(new RegExp(`^localhost/herald/${user.subscriberId}\\+[0-9a-f]{8}\\+A`)),
    ])
  }
})

test('another subscriber’s entry has the same 404 as one that does not exist', async () => {
  const [owner, stranger] = [await herald.newUser({ scope }), await herald.newUser({ scope })]
  for (const user of [owner, stranger])
    await herald.publish(herald.topics.change, [
      structured(change({ subscriberid: user.subscriberId, id: randomUUID() })),
    ])
  for (const user of [owner, stranger])
    await eventually(async () => (await user.get('/change-entries/checkpoint')).status === 200)
  const { changeEntries } = dataOf<{ changeEntries: { id: string }[] }>(await owner.get('/change-entries'))
  const answers = await Promise.all(
    [changeEntries[0]?.id, randomUUID()].map((id) => stranger.get(`/change-entries/${id}/proof`)),
  )
  const [other, unknown] = answers.map((answer) => {
    const { instance: _, ...document } = expectProblem(answer, 404, 'not_found')
    return { document, headers: [...answer.headers.keys()].sort() }
  })
  expect(other).toEqual(unknown)
})
