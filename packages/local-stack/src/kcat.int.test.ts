import { execFile, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { findCommand } from './commands-on-path.ts'
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

test('kcat, where there is one, publishes and reads with key and headers', async () => {
  const kcat = await findKcat()
  if (kcat) expect(await takesAndGives(kcat)).toBe('key ce_id=one value')
})

test('on a Debian machine without it, it is unpacked into the cache and works from there', async () => {
  const lines: string[] = []
  const environment = { PATH: await pathWithout('kcat'), HERALD_CACHE: join(folder, 'cache') }
  const kcat = await findKcat({ environment, log: (line) => lines.push(line) })
  if (!kcat) {
    // Not Debian, or no lists of packages: it says so, and leaves nothing half done.
    expect(lines.at(-1)).toMatch(/^kcat could not be fetched/)
    return
  }
  expect(kcat.command).toContain(join(folder, 'cache'))
  expect(await takesAndGives(kcat)).toBe('key ce_id=one value')
})

test('where there are no packages there is none', async () => {
  expect(await findKcat({ environment: { PATH: '', HERALD_CACHE: join(folder, 'none') } })).toBeUndefined()
})

/** A folder with what unpacking takes, and nothing else of the PATH. */
async function pathWithout(name: string) {
  const programs = join(folder, `without-${name}`)
  await mkdir(programs)
  for (const command of ['apt-get', 'dpkg', 'dpkg-deb', 'tar', 'sh', 'rm']) {
    const file = findCommand(command, process.env)
    if (file) await symlink(file, join(programs, command))
  }
  return programs
}
