import { execFile, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { findKcat, type Kcat } from './kcat.ts'
import { createTopics, topicsWithSuffix } from './topics.ts'

jest.setTimeout(180_000)

const brokers = process.env.KAFKA_BROKERS ?? ''
const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-kcat-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function takesAndGives({ command, environment }: Kcat) {
  const { mention } = await createTopics(brokers.split(','), topicsWithSuffix(randomUUID()))
  const env = { ...process.env, ...environment }
  const produce = ['-P', '-b', brokers, '-t', mention, '-k', 'key', '-H', 'ce_id=one']
  execFileSync(command, produce, { env, input: 'value' })
  const { stdout } = await run(command, ['-C', '-e', '-q', '-b', brokers, '-t', mention, '-f', '%k %h %s'], { env })
  return stdout
}

const found = await findKcat()
const withKcat = found ? test : test.skip
withKcat('publishes and reads key, value and headers with kcat', async () => {
  expect(await takesAndGives(found as Kcat)).toBe('key ce_id=one value')
})

const nowhere = () => ({ PATH: '', HERALD_CACHE: join(folder, 'none') })

test('returns undefined where there are no packages and logs why', async () => {
  const lines: string[] = []
  expect(await findKcat({ environment: nowhere(), log: (line) => lines.push(line) })).toBeUndefined()
  expect(lines).toEqual([
    'Fetching kcat.',
    expect.stringMatching(/^kcat could not be fetched: .* not a Debian machine/),
  ])
})

test('throws where HERALD_MUST_HAVE names kcat', async () => {
  const environment = { ...nowhere(), HERALD_MUST_HAVE: 'chromium kcat' }
  await expect(findKcat({ environment })).rejects.toThrow('not a Debian machine')
})
