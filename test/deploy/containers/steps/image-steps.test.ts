import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { composeServices } from '../compose-file.ts'
import { root } from '../docker.ts'
import { superfluous } from '../superfluous.ts'
import { readTargets } from './dockerfile.ts'
import { firstMessage, wholeOutput } from './first-message.ts'
import { createImageSteps, type ImageSteps } from './image-steps.ts'

const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
let steps: ImageSteps

beforeAll(async () => {
  steps = await createImageSteps({ dockerfile, context: root })
})
afterAll(() => steps.remove())

describe.each(readTargets(dockerfile))('the image of %s, made without Docker', (target) => {
  test('is made by the steps of the Dockerfile', async () => {
    const { root, workdir, command } = await steps.build(target)
    expect(existsSync(join(root, workdir, command.findLast((word) => /\.[jt]s$/.test(word)) ?? ''))).toBe(true)
  })

  test('contains no sources, tests or tools', async () => {
    const { root } = await steps.build(target)
    const files = globSync('herald/*{,/*{,/*}}', { cwd: root })
    expect(files.length).toBeGreaterThan(10)
    expect(files.filter((file) => superfluous.test(`/${file}`))).toEqual([])
  })
})

/** Nobody is there, so that nothing is changed on a machine that has a database of its own. */
const unreachable = {
  KAFKA_BROKERS: '127.0.0.1:1',
  MONGODB_URI: 'mongodb://127.0.0.1:1/?replicaSet=herald&serverSelectionTimeoutMS=1000',
  PORT: '0',
  ADMIN_PORT: '0',
}

/** The first message of each service of docker-compose.yml that is built here. */
const firstMessages: Readonly<Record<string, RegExp>> = {
  'token-issuer': /^Issuing development tokens as http:\/\/token-issuer:8081\//,
  // If several operations fail together, the driver reports the first one, which may be refused or ended with the client.
  migrate: /"name":"herald-migrate","err":\{"type":"Mongo.*"msg":"Could not migrate"/,
  ingest: /"level":"(info|warn)".*"name":"herald-ingest"/,
  query: /"level":"(info|warn)".*"name":"herald-query"/,
  seal: /"level":"(info|warn)".*"name":"herald-seal"/,
}
const services = composeServices()
const ownServices = [...services].filter(([, { build }]) => build).map(([name]) => name)

/** Variables without a default are empty. */
const withEmpty = (environment: Readonly<Record<string, string | null>> = {}) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? '']))

test('knows the first message of each service that docker compose builds', () => {
  expect(ownServices.sort()).toEqual(Object.keys(firstMessages).sort())
})

test.each(ownServices)('%s starts, with the settings of docker compose', async (name) => {
  const { build, command, environment } = services.get(name) ?? {}
  const image = await steps.build(build?.target ?? '')
  const { workdir } = await steps.enter(image)
  const settings = { ...image.environment, ...withEmpty(environment), ...unreachable }
  const message = await firstMessage({ workdir, command: command ?? image.command, environment: settings })
  expect(message).toMatch(firstMessages[name] ?? /^$/)
})

const words = (image: string, program: string, message: RegExp) => [image, program, message] as const
test.each([
  words('ingest', '/usr/local/bin/herald --help', /dead-letters replay/),
  words('query', 'node services/query/dist/verify.js --help', /--checkpoint/),
  words('bench', 'node test/bench/src/target/main.ts /settings/target.json', /settings\/target\.json/),
])('the image of %s starts %s', async (name, program, message) => {
  const image = await steps.build(name)
  const { root, workdir } = await steps.enter(image)
  const [file = '', ...args] = program.split(' ')
  const command = [file.startsWith('/') ? join(root, file) : file, ...args]
  expect(await wholeOutput({ workdir, command, environment: image.environment })).toMatch(message)
})
