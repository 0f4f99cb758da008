import { topicSettings } from '@herald/local-herald'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, expect, test } from '@jest/globals'
import { uniqueName } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { createPrograms } from '../support/standalone-programs.ts'

const programs = createPrograms()
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

test('migrate can run again and concurrently', async () => {
  const database = programs.newDatabase()
  expect(await Promise.all([migrate(database), migrate(database)])).toEqual(Array(2).fill({ code: 0, signal: null }))
  expect(await migrate(database)).toEqual({ code: 0, signal: null })
})

test.each(['mention', 'change', 'receipt', 'deadLetter'] as const)(
  'ingest is not ready without its %s topic, names it, and becomes ready once it exists',
  async (missing) => {
    const database = programs.newDatabase()
    await migrate(database)
    const topics = topicsWithSuffix(uniqueName('readiness'))
    const existing = await createTopics(programs.kafkaBrokers, { ...topics, [missing]: uniqueName('instead') })
    const { environment, adminUrl } = await programs.required()
    programs.start('ingest/dist/main.js', { ...environment, ...database, ...topicSettings(topics) })

    const answer = await becomes(adminUrl, 503, [topics[missing]])
    for (const topic of Object.values(existing)) expect(answer.text).not.toContain(topic)
    expect((await send(`${adminUrl}/livez`)).status).toBe(200)

    await createTopics(programs.kafkaBrokers, topics)
    expect((await becomes(adminUrl, 200)).text).not.toContain(topics[missing])
  },
)

test.each(['ingest', 'query'])(
  '%s is not ready without collections, names them, and becomes ready after migrate',
  async (service) => {
    const database = programs.newDatabase()
    const topics = await createTopics(programs.kafkaBrokers, topicsWithSuffix(uniqueName('readiness')))
    const { environment, adminUrl } = await programs.required()
    programs.start(`${service}/dist/main.js`, { ...environment, ...database, ...topicSettings(topics) })

    await becomes(adminUrl, 503, ['notifications', 'missing'])
    expect((await send(`${adminUrl}/livez`)).status).toBe(200)
    expect(await migrate(database)).toEqual({ code: 0, signal: null })
    await becomes(adminUrl, 200)
  },
)
