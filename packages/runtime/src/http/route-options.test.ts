import { operations } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { createTestServer } from './http-server.fixture.ts'
import { routeOptions } from './route-options.ts'

test('derives exactly the options of the operation', () => {
  const { params, headers, body } = { params: z.object({}), headers: z.object({}), body: z.strictObject({}) }
  expect(routeOptions({ scope: 'things:read', etag: true, params, headers, body })).toEqual({
    bodyLimit: 8_192,
    config: { scope: 'things:read', etag: true },
    schema: { params, headers, body },
  })
  expect(routeOptions({ public: true })).toEqual({ bodyLimit: 8_192, config: { public: true }, schema: {} })
})

test('types handlers by the schemas of the contract', async () => {
  const { app } = createTestServer()
  app.get('/typed', routeOptions(operations.listNotifications), async ({ query }) => {
    const limit: number = query.limit
    return { limit, status: query.status satisfies 'all' | 'unread' | 'read' }
  })
  const response = await app.inject({ url: '/typed', headers: { authorization: 'Bearer good' } })
  expect(response.json()).toEqual({ limit: 20, status: 'all' })
  await app.close()
})
