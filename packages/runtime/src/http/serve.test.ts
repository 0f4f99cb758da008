import { expect, test } from '@jest/globals'
import { createReleasers } from '../lifecycle/releasers.ts'
import { createTestServer } from './http-server.fixture.ts'
import { serve } from './serve.ts'

const quiet = { info: () => {}, error: () => {} } as unknown as Parameters<typeof createReleasers>[0]

test('closes a listening server on release', async () => {
  const releasers = createReleasers(quiet)
  const { app } = createTestServer()
  await serve(app, { name: 'http', host: '127.0.0.1', port: 0, releasers })
  expect((await fetch(`${app.listeningOrigin}/public`)).status).toBe(200)
  const origin = app.listeningOrigin
  await releasers.releaseAll()
  await expect(fetch(`${origin}/public`)).rejects.toThrow()
})

test('rejects when the port is taken, and can still be released', async () => {
  const releasers = createReleasers(quiet)
  const [first, second] = [createTestServer().app, createTestServer().app]
  await serve(first, { name: 'first', host: '127.0.0.1', port: 0, releasers })
  const port = Number(new URL(first.listeningOrigin).port)
  await expect(serve(second, { name: 'second', host: '127.0.0.1', port, releasers })).rejects.toThrow(/EADDRINUSE/)
  await releasers.releaseAll()
})
