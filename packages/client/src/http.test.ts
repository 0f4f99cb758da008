import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createHeraldClient, type HeraldClient, type HeraldClientOptions } from './client.ts'
import { HeraldConnectionError } from './errors.ts'

type Handle = (request: IncomingMessage, response: ServerResponse, count: number) => void

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A scripted server, for responses that Herald would not give. */
async function serve(handle: Handle, options: Partial<HeraldClientOptions> = {}) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => handle(request, response, requests.push(request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  return { requests, client: createHeraldClient({ baseUrl, token: 't', retry: { minPauseMs: 5 }, ...options }) }
}

const answerCount = (response: ServerResponse) =>
  response.setHeader('content-type', 'application/json').end('{"data":{"unreadCount":3}}')

function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
  response.end(JSON.stringify({ type: `urn:herald:problem:${code}`, title: code, status, detail: 'Detail', code }))
}

test('with `keepalive`, the request is sent in the same turn, with the latest token', async () => {
  const sent: (RequestInit | undefined)[] = []
  const tokens = ['first', 'second']
  const { client } = await serve((_, response) => answerCount(response), {
    token: async () => tokens.shift() ?? '',
    fetch(url, init) {
      sent.push(init)
      return fetch(url, init)
    },
  })
  await client.notifications.unreadCount()
  const archiving = client.notifications.archive('x', { keepalive: true })
  expect(sent).toEqual([
    expect.objectContaining({ keepalive: false }),
    expect.objectContaining({ keepalive: true, headers: expect.objectContaining({ authorization: 'Bearer first' }) }),
  ])
  await archiving
})

describe('retries', () => {
  test.each([
    [503, 'storage_unavailable'],
    [500, 'internal'],
    [408, 'request_timeout'],
    [409, 'request_in_progress'],
    [429, 'rate_limited'],
  ])('retries %s %s', async (status, code) => {
    const { client, requests } = await serve((_, response, count) =>
      count < 3 ? refuse(response, status, code) : answerCount(response),
    )
    expect(await client.notifications.unreadCount()).toBe(3)
    expect(requests.map(({ url }) => url)).toEqual(Array(3).fill('/v1/notifications/unread-count'))
  })

  test('does not retry a permanent error', async () => {
    const { client, requests } = await serve((_, response) => refuse(response, 404, 'not_found'))
    await expect(client.notifications.get('x')).rejects.toMatchObject({ code: 'not_found', detail: 'Detail' })
    expect(requests).toHaveLength(1)
  })

  test('gives up after three retries', async () => {
    const { client, requests } = await serve((request) => request.socket.destroy())
    await expect(client.notifications.unreadCount()).rejects.toBeInstanceOf(HeraldConnectionError)
    expect(requests).toHaveLength(4)
  })

  test('waits for Retry-After', async () => {
    const times: number[] = []
    const { client } = await serve((_, response, count) => {
      times.push(performance.now())
      if (count === 1) refuse(response, 429, 'rate_limited', { 'retry-after': '1' })
      else answerCount(response)
    })
    await client.notifications.unreadCount()
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
  })

  test('fails at once if Retry-After exceeds the limit', async () => {
    const { client, requests } = await serve((_, response) =>
      refuse(response, 503, 'storage_unavailable', { 'retry-after': '3600' }),
    )
    await expect(client.notifications.unreadCount()).rejects.toMatchObject({ retryAfterMs: 3_600_000 })
    expect(requests).toHaveLength(1)
  })

  test.each<[string, (client: HeraldClient) => Promise<unknown>]>([
    ['marking all', ({ notifications }) => notifications.markManyRead({ all: true })],
    ['marking all as seen', ({ notifications }) => notifications.markSeen()],
  ])('retries %s only after 429', async (_, mark) => {
    const answers = [
      (response: ServerResponse) => refuse(response, 429, 'rate_limited'),
      (response: ServerResponse) => refuse(response, 503, 'storage_unavailable'),
    ]
    const { client, requests } = await serve((_, response, count) => answers[count - 1]?.(response))
    await expect(mark(client)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(requests).toHaveLength(2)
  })

  test('sends the same idempotency key with each attempt', async () => {
    const { client, requests } = await serve((_, response, count) =>
      count < 3 ? refuse(response, 503, 'storage_unavailable') : response.writeHead(201).end('{"data":{}}'),
    )
    await client.notifications.create({} as never)
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
  })
})

describe('a response that is not from Herald', () => {
  test('becomes a HeraldProblem if it is an error', async () => {
    const { client } = await serve((_, response) => response.writeHead(403).end('<h1>No</h1>'))
    await expect(client.notifications.list()).rejects.toMatchObject({ status: 403, code: 'unknown', errors: [] })
  })

  test('becomes a HeraldConnectionError if it is not JSON', async () => {
    const { client } = await serve((_, response) => response.end('<h1>Log in</h1>'), { retry: { retries: 0 } })
    await expect(client.notifications.list()).rejects.toBeInstanceOf(HeraldConnectionError)
  })

  test('times out', async () => {
    // Counted where they are sent: on a busy machine the first one times out before it reaches the server.
    let attempts = 0
    const counted: typeof fetch = (...call) => {
      attempts++
      return fetch(...call)
    }
    const { client } = await serve(() => {}, { timeoutMs: 50, retry: { retries: 1, minPauseMs: 5 }, fetch: counted })
    await expect(client.notifications.list()).rejects.toThrow('No response within 50 ms')
    expect(attempts).toBe(2)
  })
})

describe('aborting', () => {
  test('ends a request with the signal’s reason', async () => {
    const { client, requests } = await serve(() => stop.abort('enough'))
    const stop = new AbortController()
    await expect(client.notifications.list({}, { signal: stop.signal })).rejects.toBe('enough')
    expect(requests).toHaveLength(1)
  })

  test('ends the pause before the next attempt', async () => {
    const { client, requests } = await serve((_, response) => {
      refuse(response, 503, 'storage_unavailable', { 'retry-after': '30' })
      setTimeout(() => stop.abort('enough'), 20)
    })
    const stop = new AbortController()
    await expect(client.notifications.list({}, { signal: stop.signal })).rejects.toBe('enough')
    expect(requests).toHaveLength(1)
  })

  test('before the request leaves no rejection of the token behind', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const { client } = await serve((_, response) => answerCount(response), {
      token: () => Promise.reject(new Error('Away')),
    })
    await expect(client.notifications.list({}, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
    await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  test('ends the wait for a token, and sends nothing', async () => {
    const { client, requests } = await serve((_, response) => answerCount(response), {
      token: () => new Promise(() => {}),
    })
    const signal = AbortSignal.timeout(20)
    await expect(client.notifications.list({}, { signal })).rejects.toThrow('timeout')
    expect(requests).toHaveLength(0)
  })
})

describe('an export of the change log', () => {
  const read = async (entries: AsyncIterable<{ id: string }>, ids: string[]) => {
    for await (const { id } of entries) ids.push(id)
  }

  test('may be split into chunks anywhere', async () => {
    const lines = Buffer.from('{"id":"1"}\n{"id":"ö"}\n{"id":"3"}\n')
    const { client, requests } = await serve(async (_, response) => {
      for (const byte of lines) {
        response.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
      response.end()
    })
    const ids: string[] = []
    await read(client.changeEntries.all({ entityId: 'a b&c' }), ids)
    expect(ids).toEqual(['1', 'ö', '3'])
    expect(requests[0]?.url).toBe('/v1/change-entries/all?entityId=a+b%26c')
    expect(requests[0]?.headers.accept).toBe('application/x-ndjson')
  })

  test('rejects if the transfer breaks', async () => {
    const { client } = await serve((_, response) => {
      response.write('{"id":"1"}\n')
      setTimeout(() => response.destroy(), 30)
    })
    const ids: string[] = []
    await expect(read(client.changeEntries.all(), ids)).rejects.toBeInstanceOf(HeraldConnectionError)
    expect(ids).toEqual(['1'])
  })
})

describe('the stream', () => {
  test('is reopened after silence', async () => {
    const { client, requests } = await serve(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('retry: 1\n\nid: a\nevent: heartbeat\ndata: {}\n\n')
      },
      { streamSilenceMs: 500 },
    )
    const seen: string[] = []
    for await (const { type } of client.notifications.stream()) {
      if (seen.push(type) === 4) break
    }
    expect(seen).toEqual(['open', 'heartbeat', 'lost', 'open'])
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'a'])
  })

  test.each([400, 401, 403, 404, 405, 410])('goes on after a %s, which time may cure', async (status) => {
    let asked = 0
    const { client } = await serve(
      (_, response, count) => {
        if (count <= 2) return response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>a gateway</h1>')
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('id: a\nevent: heartbeat\ndata: {}\n\n')
      },
      { token: () => `token ${++asked}` },
    )
    const seen: string[] = []
    for await (const event of client.notifications.stream()) {
      seen.push(event.type === 'lost' ? event.reason : event.type)
      if (event.type === 'heartbeat') break
    }
    expect(seen.filter((type) => type !== 'refused')).toEqual(['open', 'heartbeat'])
    expect(asked).toBeGreaterThan(1)
  })

  test('ignores unknown events', async () => {
    const { client } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('id: b\nevent: newer\ndata: {}\n\nevent: unread-count\ndata: {"unreadCount":2}\n\n')
    })
    for await (const event of client.notifications.stream()) {
      if (event.type === 'open') continue
      expect(event).toEqual({ type: 'unread-count', unreadCount: 2, lastEventId: 'b' })
      break
    }
  })
})

describe('leaving the loop closes the connection', () => {
  test.each([
    ['of the stream', 'retry: 1\n\n', (client: HeraldClient) => client.notifications.stream()],
    ['of the change log', '{}\n', (client: HeraldClient) => client.changeEntries.all()],
  ])('%s', async (_, start, read) => {
    let onClose = () => {}
    const closed = new Promise<void>((resolve) => {
      onClose = resolve
    })
    const handle: Handle = (_, response) => void response.on('close', onClose).writeHead(200).write(start)
    const { client } = await serve(handle, { timeoutMs: 60_000 })
    for await (const _ of read(client)) break
    // Otherwise the connection stays open, and the test reaches its time limit.
    await closed
  })
})

describe('the session', () => {
  const tokenOf = (sub: string) =>
    `h.${Buffer.from(JSON.stringify({ sub, subscriber_id: 'acme' })).toString('base64url')}.s`

  test('tells of another user before a request is sent as that user', async () => {
    const tokens = [tokenOf('ada'), tokenOf('ada'), tokenOf('bo')]
    const { client, requests } = await serve((_, response) => answerCount(response), { token: () => tokens.shift() })
    const dropped = new AbortController()
    await client.notifications.unreadCount()
    const users: unknown[] = []
    client.session.onUser((user) => {
      if (users.push(user) > 1) dropped.abort(new Error('another user'))
    })
    await client.notifications.unreadCount()
    const { signal } = dropped
    await expect(client.notifications.markRead('of-ada', { signal })).rejects.toThrow('another user')
    expect([users.length, requests.length]).toEqual([2, 2])
  })

  test('a token that returns nothing is signed out: nothing is sent', async () => {
    const { client, requests } = await serve((_, response) => answerCount(response), { token: async () => undefined })
    const users: unknown[] = []
    client.session.onUser((user) => users.push(user))
    await expect(client.notifications.unreadCount()).rejects.toMatchObject({ name: 'HeraldSignedOut' })
    expect([await client.session.user(), users, requests.length]).toEqual([null, [null], 0])
  })

  test('a token that was asked for earlier and comes later is of no other user', async () => {
    let resolve = (_: string) => {}
    const first = new Promise<string>((done) => {
      resolve = done
    })
    const answers = [first, Promise.resolve(tokenOf('bo'))]
    const { client, requests } = await serve((_, response) => answerCount(response), {
      token: () => answers.shift() ?? '',
    })
    const users: unknown[] = []
    client.session.onUser((user) => users.push(user))
    const early = client.notifications.unreadCount()
    await client.notifications.unreadCount()
    resolve(tokenOf('ada'))
    await early
    expect(users).toEqual([expect.stringContaining('bo')])
    // Each request has the token that it asked for.
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${tokenOf('bo')}`,
      `Bearer ${tokenOf('ada')}`,
    ])
  })

  test('ends with `close`', async () => {
    const { client } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('id: a\nevent: heartbeat\ndata: {}\n\n')
    })
    const stream = client.notifications.stream()
    await stream.next()
    client.close()
    const isClosed = { message: 'The client is closed' }
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toMatchObject(isClosed)
    await expect(client.notifications.unreadCount()).rejects.toMatchObject(isClosed)
  })
})

test('a poll asks once, and takes the last response again if nothing has changed', async () => {
  const { client, requests } = await serve((request, response, count) => {
    if (count === 3) return refuse(response, 503, 'storage_unavailable')
    if (request.headers['if-none-match'] === '"1"') return response.writeHead(304).end()
    response.setHeader('etag', '"1"')
    answerCount(response)
  })
  const first = await client.notifications.counts({ poll: true })
  expect(await client.notifications.counts({ poll: true })).toBe(first)
  await expect(client.notifications.counts({ poll: true })).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(3)
})
