import { afterAll, beforeAll, test } from '@jest/globals'
import { expectNow } from '../support/clock.ts'
import { createBody } from '../support/create-body.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import type { Notification } from '../support/spec-shapes.ts'

/** Preloaded by both services: their clock is an hour slow. */
const slowClock = `
const RealDate = Date
const now = () => RealDate.now() - 3600000
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
})`

let herald: TestHerald

beforeAll(async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(slowClock)}`
  herald = await startTestHerald('wrong-clock', { NODE_OPTIONS })
})
afterAll(() => herald?.stop())

const one = (json: unknown) => (json as { data: Notification }).data

test('what is created and marked has the time of MongoDB, not of the process', async () => {
  const user = await herald.newUser()
  const { id } = one((await user.post('/', createBody([user.id]))).json)
  expectNow(one((await user.get(`/notifications/${id}`)).json).createdAt)
  expectNow(one((await user.patch(`/notifications/${id}/read`)).json).readAt)
})
