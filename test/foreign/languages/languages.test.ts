import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, eventually, startProgram, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { go } from './go.ts'
import { java } from './java.ts'
import { python } from './python.ts'
import { exampleFile, inUtf8, ownFile, type Programs, type Runnable, run } from './toolchain.ts'

type Vector = Readonly<Record<'subscriberId' | 'source' | 'id' | 'derivedId', string>> & { readonly time: number }
/** The parts of answers that the tests use. */
type Answered = {
  readonly readAt: string | null
  readonly notifications: readonly { readonly id: string }[]
  readonly changeEntries: readonly { readonly id: string }[]
}
const vectors: readonly Vector[] = JSON.parse(
  readFileSync(ownFile('../../packages/contracts/derived-ids.json'), 'utf8'),
)

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const suffix = randomBytes(4).toString('hex')
const database = `languages-${suffix}`
const folder = mkdtempSync(join(tmpdir(), 'herald-languages-'))
const document = join(folder, 'openapi-3.0.json')

let herald: StartedHerald

beforeAll(async () => {
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(suffix))
  const environment = { KAFKA_GROUP_ID: database, RATE_LIMIT_PER_MINUTE: '100000' }
  herald = await startHerald({ servers, topics, database, environment })
  writeFileSync(document, await (await fetch(`${herald.baseUrl}/openapi-3.0.json`)).text())
}, 120_000)

afterAll(async () => {
  await herald?.stop()
  rmSync(folder, { recursive: true, force: true })
  const client = await MongoClient.connect(MONGODB_URI)
  await client.db(database).dropDatabase()
  await client.close()
})

const languages = [java, go, python]
const reasons = new Map(
  await Promise.all(languages.map(async (language) => [language.name, await language.whyNot()] as const)),
)

describe.each(languages)('$name', ({ name, example, source, build }) => {
  const why = reasons.get(name)
  if (why !== undefined) console.warn(`Skipped ${name}: ${why}.`)
  const testHere = why === undefined ? test : test.skip

  const [subscriber, recipient] = [randomUUID(), randomUUID()]
  let programs: Programs
  let token: string

  const signIn = () => herald.tokens.sign({ sub: recipient, subscriber_id: subscriber, scope: 'change-entries:read' })
  const get = async (path: string) => {
    const answer = await fetch(`${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const { data } = (await answer.json()) as { data: Answered }
    return { status: answer.status, data }
  }
  const call = ({ command, args, environment }: Runnable, ...words: readonly string[]) =>
    run(command, [...args, ...words], folder, { ...environment, TOPIC_SUFFIX: `-${suffix}` })
  const linesOf = (output: string) => output.trim().split('\n')

  /** Publishes with the example; returns the ids that it derived. */
  async function publish(id: string, time: number) {
    const output = await call(programs.publisher, 'publish', KAFKA_BROKERS, subscriber, recipient, id, String(time))
    const ids = new Map(linesOf(output).map((line) => line.split(' ') as [string, string]))
    return { mention: ids.get('mention') ?? '', change: ids.get('change') ?? '' }
  }

  beforeAll(async () => {
    if (why !== undefined) return
    const own = join(folder, name)
    mkdirSync(own)
    programs = await build(document, own)
    token = await signIn()
  }, 600_000)

  test('has a publisher of at most 60 lines', () => {
    const text = readFileSync(exampleFile(example), 'utf8')
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(60)
    expect(text).toContain(source)
  })

  testHere('derives the ids of all vectors', async () => {
    for (const { subscriberId, source: from, id, time, derivedId } of vectors) {
      expect(linesOf(await call(programs.publisher, 'id', subscriberId, from, id, String(time))).at(-1)).toBe(derivedId)
    }
  })

  testHere('publishes events that are read back over HTTP under the derived ids, once', async () => {
    const time = Date.now() - 10_000
    const ids = await publish('comment-1', time)
    expect(await publish('comment-1', time)).toEqual(ids)
    await eventually(async () => (await get(`/notifications/${ids.mention}`)).status === 200)
    const listed = await get('/')
    expect(listed.data.notifications).toMatchObject([{ id: ids.mention, actor: { name: 'Ada' }, readAt: null }])
    await eventually(async () => (await get('/change-entries')).data.changeEntries.length > 0)
    expect((await get('/change-entries')).data.changeEntries).toMatchObject([
      { id: ids.change, entityTitle: 'Growth', beforeState: null, afterState: 'Growth' },
    ])
  })

  testHere('lists, marks and follows with a generated client', async () => {
    const first = (await get('/')).data.notifications[0]?.id
    const { command, args, environment } = programs.client
    const client = await startProgram({
      name: `the client in ${name}`,
      command,
      args: [...args, herald.baseUrl, token],
      environment: inUtf8(environment),
      ready: { line: /^event / },
    })
    const next = await publish('comment-2', Date.now())
    expect((await client.exited).code).toBe(0)
    expect(client.logs()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(`^listed ${first} Look`),
        expect.stringMatching(new RegExp(`^marked ${first} true$`, 'i')),
        'unread 0',
        `followed ${next.mention}`,
      ]),
    )
    expect((await get(`/notifications/${first}`)).data.readAt).not.toBeNull()
    await client.stop()
  })
})
