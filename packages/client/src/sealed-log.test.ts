import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createHeraldClient } from './client.ts'
import { HeraldConnectionError } from './errors.ts'
import type { SealedLine } from './sealed-log.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

type Answer = { readonly status?: number; readonly body: string; readonly isCut?: boolean }

/** A server that gives one answer, and what it was asked. */
async function serve({ status = 200, body, isCut }: Answer) {
  const asked: string[] = []
  const server = createServer(async ({ url, headers: { accept } }, response) => {
    asked.push(`${url} ${accept}`)
    response.writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'application/problem+json' })
    response.write(body)
    if (isCut) setTimeout(() => response.destroy(), 20)
    else response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, changeEntries: createHeraldClient({ baseUrl, token: 't', retry: { minPauseMs: 5 } }).changeEntries }
}

async function collect(lines: AsyncIterable<SealedLine>): Promise<SealedLine[]> {
  const collected: SealedLine[] = []
  for await (const line of lines) collected.push(line)
  return collected
}

test('returns the checkpoint as text, and the keys as a list', async () => {
  const { changeEntries, asked } = await serve({ body: '{"data":{"checkpoint":"log\\n1\\n","keys":["a","b"]}}' })
  expect(await changeEntries.checkpoint()).toBe('log\n1\n')
  expect(await changeEntries.checkpointKeys()).toEqual(['a', 'b'])
  expect(asked).toEqual([
    '/change-entries/checkpoint application/json',
    '/change-entries/checkpoint/key application/json',
  ])
})

test('returns proofs as the API does', async () => {
  const { changeEntries, asked } = await serve({ body: '{"data":{"hashes":["h"]}}' })
  expect(await changeEntries.consistency({ from: 1 })).toEqual({ hashes: ['h'] })
  expect(await changeEntries.consistency({ from: 1, to: 3 })).toEqual({ hashes: ['h'] })
  expect(await changeEntries.proof('a/b')).toEqual({ hashes: ['h'] })
  expect(asked).toEqual([
    '/change-entries/checkpoint/consistency?from=1 application/json',
    '/change-entries/checkpoint/consistency?from=1&to=3 application/json',
    '/change-entries/a%2Fb/proof application/json',
  ])
})

test('returns a proof as the text that other programs read', async () => {
  const { changeEntries, asked } = await serve({ body: 'c2sp.org/tlog-proof@v1\n' })
  expect(await changeEntries.proofText('a/b')).toBe('c2sp.org/tlog-proof@v1\n')
  expect(asked).toEqual(['/change-entries/a%2Fb/proof text/plain'])
})

test('what is not sealed yet is an error at once', async () => {
  const { changeEntries, asked } = await serve({ status: 409, body: '{"status":409,"code":"not_sealed_yet"}' })
  await expect(changeEntries.proof('x')).rejects.toMatchObject({ status: 409, code: 'not_sealed_yet' })
  expect(asked).toHaveLength(1)
})

test('yields the checkpoint and then the leaves', async () => {
  const lines = [{ checkpoint: 'log' }, { leafIndex: 3, leafHash: 'h', gone: 'expired' }]
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const { changeEntries, asked } = await serve({ body })
  expect(await collect(changeEntries.sealed({ from: 3 }))).toEqual(lines)
  expect(asked).toEqual(['/change-entries/sealed?from=3 application/x-ndjson'])
})

test('an export that is cut is an error, though each of its lines is whole', async () => {
  const { changeEntries } = await serve({ body: '{"checkpoint":"log"}\n', isCut: true })
  await expect(collect(changeEntries.sealed())).rejects.toBeInstanceOf(HeraldConnectionError)
})
