import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { dockerAnswers } from './docker.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

test('finds a daemon at a socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'herald-docker-'))
  stops.push(() => rm(folder, { recursive: true }))
  const asked: (string | undefined)[] = []
  const daemon = createServer((request, response) => {
    asked.push(request.url)
    response.end('OK')
  }).listen(join(folder, 'docker.sock'))
  await once(daemon, 'listening')
  stops.push(async () => void daemon.close())
  expect(await dockerAnswers({ DOCKER_HOST: `unix://${folder}/docker.sock` })).toBe(true)
  expect(asked).toEqual(['/_ping'])
})

test.each([
  'unix:///nowhere/docker.sock',
  'tcp://127.0.0.1:1',
  // Reserved for documentation: packets are dropped.
  'tcp://192.0.2.1:2375',
  'nonsense',
])('gives up on %s', async (host) => {
  expect(await dockerAnswers({ DOCKER_HOST: host })).toBe(false)
})

test('gives up on a daemon that accepts the connection but does not respond', async () => {
  const silent = createSocketServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  stops.push(async () => void silent.close())
  const { port } = silent.address() as AddressInfo
  expect(await dockerAnswers({ DOCKER_HOST: `tcp://127.0.0.1:${port}` })).toBe(false)
})
