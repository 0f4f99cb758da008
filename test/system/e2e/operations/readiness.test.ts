import { topicSettings } from '@herald/local-herald'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { send } from '../support/http-client.ts'
import { printLoadedModules } from '../support/loaded-modules.ts'
import { uniqueName } from '../support/servers.ts'
import { createPrograms } from '../support/standalone-programs.ts'

const programs = createPrograms()
const migrated = programs.newDatabase()
afterAll(() => programs.stop())

/** Returns how it ended, with its output if it failed. */
async function migrate(database: Record<string, string>) {
  const program = programs.start('ingest/dist/migrate.js', database)
  const ended = await program.ended
  return ended.code === 0 ? ended : { ...ended, output: program.output() }
}

/** Waits until /readyz returns `status` and names all of `named`. */
const becomes = (adminUrl: string, status: number, named: readonly string[] = []) =>
  eventually(
    async () => {
      const answer = await send(`${adminUrl}/readyz`)
      expect(answer.status).toBe(status)
      for (const name of named) expect(answer.text).toContain(name)
      return answer
    },
    { description: `/readyz returns ${[status, ...named].join(', ')}` },
  )

const succeeded = { code: 0, signal: null }
let concurrent: unknown[]
beforeAll(async () => {
  concurrent = await Promise.all([migrate(migrated), migrate(migrated)])
})

test('migrate can run again and concurrently', async () => {
  expect(concurrent).toEqual([succeeded, succeeded])
  expect(await migrate(migrated)).toEqual(succeeded)
})

test('ingest is not ready without any of its topics, names those that are missing, and becomes ready once all exist', async () => {
  const topics = topicsWithSuffix(uniqueName('readiness'))
  const needed = ['mention', 'change', 'receipt', 'deadLetter'] as const
  const elsewhere = Object.fromEntries(needed.map((name) => [name, uniqueName(`instead-${name}`)]))
  await createTopics(programs.kafkaBrokers, { ...topics, ...elsewhere })
  const { environment, adminUrl } = await programs.required()
  programs.start('ingest/dist/main.js', { ...environment, ...migrated, ...topicSettings(topics) })
  for (const [at, name] of needed.entries()) {
    const missing = needed.slice(at).map((one) => topics[one])
    const { text } = await eventually(async () => {
      const answer = await becomes(adminUrl, 503, missing)
      return needed.slice(0, at).some((one) => answer.text.includes(topics[one])) ? undefined : answer
    })
    expect(text).not.toContain(topics.privacy)
    expect((await send(`${adminUrl}/livez`)).status).toBe(200)
    await createTopics(programs.kafkaBrokers, { ...topics, ...elsewhere, [name]: topics[name] })
    elsewhere[name] = topics[name]
  }
  expect((await becomes(adminUrl, 200)).text).not.toContain('missing')
})

test.each(['ingest', 'query'])(
  '%s starts without the encryption of jose, is not ready without collections, names them, and becomes ready after migrate',
  async (service) => {
    const database = programs.newDatabase()
    const topics = await createTopics(programs.kafkaBrokers, topicsWithSuffix(uniqueName('readiness')))
    const { environment, adminUrl } = await programs.required()
    const settings = { ...environment, ...database, ...topicSettings(topics), ...printLoadedModules }
    const program = programs.start(`${service}/dist/main.js`, settings)

    await becomes(adminUrl, 503, ['notifications', 'missing'])
    expect((await send(`${adminUrl}/livez`)).status).toBe(200)
    expect(await migrate(database)).toEqual(succeeded)
    await becomes(adminUrl, 200)

    const loaded = [...program.output().matchAll(/^loaded (\S+)$/gm)].map(([, file]) => file)
    expect(loaded).toContain('jose/dist/webapi/jwt/verify.js')
    expect(loaded.filter((file) => /\/jwe\//.test(file ?? ''))).toEqual([])
  },
)
