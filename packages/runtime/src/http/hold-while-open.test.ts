import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from '@jest/globals'
import type { FastifyReply } from 'fastify'
import { createBudget, OverBudget } from '../shares/budget.ts'
import { holdWhileOpen } from './hold-while-open.ts'
import { createTestServer } from './http-server.fixture.ts'

const owner = { subscriberId: 's', userId: 'u' }

/** A request whose response is never sent. The reply of Fastify itself would be awaited, because it has a `then`. */
async function ask() {
  const { app } = createTestServer()
  const asked = Promise.withResolvers<Pick<FastifyReply, 'raw'>>()
  app.get('/held', { config: { public: true } }, (_request, { raw }) => asked.resolve({ raw }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n')
  return { app, socket, reply: await asked.promise }
}

test('holds a part of a budget until the response is closed', async () => {
  const { app, socket, reply } = await ask()
  const budget = createBudget({ sum: 1, perSubscriber: 1, perUser: 1 })
  expect([holdWhileOpen(reply, budget, owner, 1), budget.held()]).toEqual([true, 1])
  expect(() => holdWhileOpen(reply, budget, owner, 1)).toThrow(OverBudget)
  const closed = once(reply.raw, 'close')
  socket.destroy()
  await closed
  expect(budget.held()).toBe(0)
  await app.close()
})

test('takes nothing for a client that has left', async () => {
  const { app, socket, reply } = await ask()
  const budget = createBudget({ sum: 1, perSubscriber: 1, perUser: 1 })
  const closed = once(reply.raw, 'close')
  socket.destroy()
  await closed
  expect([holdWhileOpen(reply, budget, owner, 1), budget.held()]).toEqual([false, 0])
  await app.close()
})
