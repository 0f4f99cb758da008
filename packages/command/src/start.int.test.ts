import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createOutputLines, findFreePort } from '@herald/test-servers'
import { afterEach, expect, jest, test } from '@jest/globals'
import { jwtVerify } from 'jose'

jest.setTimeout(300_000)

const run = promisify(execFile)
const herald = fileURLToPath(new URL('../bin/herald.mjs', import.meta.url))
const ingest = fileURLToPath(new URL('../../../services/ingest/', import.meta.url))
const isBuilt = existsSync(fileURLToPath(new URL('../../../services/query/dist/main.js', import.meta.url)))

let child: ChildProcess | undefined
afterEach(() => void child?.kill('SIGKILL'))

// Skipped when only this package is tested and the services are not built.
const whenBuilt = isBuilt ? test : test.skip

whenBuilt('prints commands that can be pasted and stops everything on Ctrl-C', async () => {
  const port = await findFreePort()
  const started = spawn(process.execPath, [herald, 'start'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  const output = createOutputLines()
  output.readFrom(started.stdout)
  output.readFrom(started.stderr)
  const ended = new Promise<never>((_resolve, reject) => {
    started.once('exit', () => reject(new Error(`It exited:\n${output.lines().join('\n')}`)))
  })
  await Promise.race([output.next(/^Ctrl-C stops everything/, AbortSignal.timeout(280_000)), ended])
  ended.catch(() => {})

  const lines = output.lines()
  const blocks = lines
    .slice(lines.findIndex((line) => line.startsWith('export ')))
    .join('\n')
    .split(/\n\n+# .*\n/)
  const [exports = '', ...commands] = blocks
  const curls = commands.filter((block) => block.startsWith('curl'))
  expect(curls).toHaveLength(4)
  const answers = await Promise.all(curls.map((block) => run('sh', ['-c', `${exports}\n${block}`])))
  const [created, listed, marked, entries] = answers.map(({ stdout }) => JSON.parse(stdout).data)
  expect(created).toMatchObject({ type: 'mention', metadata: { mention: { mentionerName: 'Amara Okafor' } } })
  expect(listed.notifications).toHaveLength(5)
  expect(marked).toMatchObject({ readAt: null })
  expect(entries).toHaveLength(50)

  const verification = commands.find((block) => block.startsWith('proof=')) ?? ''
  const count = 'wc -l < "$proof/sealed.ndjson"'
  const alter = `sed -i '2s/"actionType":"[^"]*"/"actionType":"approve"/' "$proof/sealed.ndjson"`
  const script = [exports, verification, count, alter, 'verify || echo "exit code $?"', 'rm -r "$proof"'].join('\n')
  const { stdout, stderr } = await run('sh', ['-e', '-c', script])
  // A checkpoint and fifty entries, without findings.
  expect(stdout).toMatch(/^51\n1 0 .*\nexit code 1\n$/)
  expect(stderr).toMatch(/Result: whole\n.*Result: altered\n/s)

  const variables = Object.fromEntries(
    (await run('env', ['-i', 'sh', '-c', `${exports}\nenv`])).stdout
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const {
    BASE,
    TOKEN = '',
    USER_ID,
    SUBSCRIBER_ID,
    AUTH_ISSUER = '',
    AUTH_AUDIENCE = '',
    AUTH_PUBLIC_KEY = '',
  } = variables
  expect(BASE).toBe(`http://127.0.0.1:${port}`)
  const key = createPublicKey(AUTH_PUBLIC_KEY.replaceAll('\\n', '\n'))
  const { payload } = await jwtVerify(TOKEN, key, { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE })
  expect([payload.sub, payload.subscriber_id]).toEqual([USER_ID, SUBSCRIBER_ID])
  // The programs of ingest accept the other variables.
  for (const [program = '', ...args] of [['dist/migrate.js'], ['operator/herald.mjs', 'dead-letters', 'list']]) {
    await run(process.execPath, [join(ingest, program), ...args], { env: variables })
  }

  const demo =
    lines
      .find((line) => line.startsWith('See it at'))
      ?.split(/ +/)
      .at(-1) ?? ''
  const page = await fetch(demo)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>Herald demo</title>')])
  const session = (await (await fetch(`${demo}session?as=amara`)).json()) as { as: string; token: string }
  const own = await fetch(new URL('/', demo), { headers: { authorization: `Bearer ${session.token}` } })
  expect([session.as, own.status]).toEqual(['amara', 200])

  const exited = new Promise((resolve) => started.once('exit', (code) => resolve(code)))
  started.kill('SIGINT')
  expect(await exited).toBe(0)
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
})
