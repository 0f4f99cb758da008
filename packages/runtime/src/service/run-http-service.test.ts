import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from '@jest/globals'

// Exit codes and signals are only visible from outside: each test runs a process.
const fixture = fileURLToPath(new URL('run-http-service.fixture.ts', import.meta.url))
/** The servers are released first, then what the service registered, the last one first. */
const released = ['Released', 'Released', 'Released the last', 'Released', 'Released']
let child: ChildProcess
afterEach(() => {
  child.kill('SIGKILL')
})

function start(environment: Record<string, string>, flags: readonly string[] = ['--no-warnings']) {
  child = spawn(process.execPath, [...flags, fixture], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const waits: { readonly text: string; readonly resolve: () => void }[] = []
  const collect = (chunk: Buffer) => {
    output += chunk
    for (const { text, resolve } of waits) if (output.includes(text)) resolve()
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const closed = once(child, 'close')
  return {
    seen: (text: string) => new Promise<void>((resolve) => void waits.push({ text, resolve })),
    ended: async () => {
      const [code] = await closed
      const lines = output.split('\n').filter(Boolean)
      return { code, lines: lines.map((line) => JSON.parse(line)), messages: lines.map((line) => JSON.parse(line).msg) }
    },
  }
}

async function startAndSignal(signal: NodeJS.Signals, mode: string) {
  const service = start({ NEEDED: 'x', MODE: mode })
  await service.seen('Started')
  child.kill(signal)
  return service
}

test('logs every invalid setting and exits with code 1', async () => {
  const { code, lines } = await start({ LOG_LEVEL: 'loud' }).ended()
  expect(code).toBe(1)
  expect(lines).toMatchObject([
    { level: 'fatal', name: 'fixture', setting: 'LOG_LEVEL' },
    { level: 'fatal', setting: 'NEEDED', msg: 'NEEDED: Required' },
  ])
})

test('logs version, commit and Node.js version at the start', async () => {
  const service = start({ NEEDED: 'x', HERALD_REVISION: '53131ab' })
  await service.seen('Started')
  child.kill('SIGTERM')
  const { lines } = await service.ended()
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(lines[0]).toMatchObject({ msg: 'Started', version, revision: '53131ab', node: process.versions.node })
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('drains, releases in reverse order and exits with code 0', async () => {
    const { code, messages } = await (await startAndSignal(signal, 'good')).ended()
    expect([code, messages]).toEqual([0, ['Started', 'Shutting down', 'Draining', ...released, 'Exiting']])
  })

  test('exits at once when sent twice', async () => {
    const service = await startAndSignal(signal, 'hangs long')
    await service.seen('Shutting down')
    child.kill(signal)
    expect((await service.ended()).code).toBe(signal === 'SIGINT' ? 130 : 143)
  })
})

test('exits with code 0 after the deadline when a releaser hangs', async () => {
  const { code, messages } = await (await startAndSignal('SIGTERM', 'hangs')).ended()
  expect(code).toBe(0)
  expect(messages).toContain('Shutdown deadline exceeded')
})

test.each([
  ['cannot start', 'No start'],
  ['cannot listen', 'The port is taken'],
])('releases and exits with code 1 when it %s', async (mode, message) => {
  const { code, lines, messages } = await start({ NEEDED: 'x', MODE: mode }).ended()
  expect(code).toBe(1)
  expect(lines).toContainEqual(expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message }) }))
  expect(messages).toContain('Released')
})

test('exits with code 0 on a signal during the start', async () => {
  const service = start({ NEEDED: 'x', MODE: 'starts slowly' })
  await service.seen('Starting')
  child.kill('SIGTERM')
  const { code, messages } = await service.ended()
  expect([code, messages.at(-1)]).toEqual([0, 'Exiting'])
  expect(messages).toContain('Start interrupted')
})

test.each(['throws', 'rejects'])('logs an uncaught exception (%s), releases and exits with code 1', async (mode) => {
  const { code, lines, messages } = await start({ NEEDED: 'x', MODE: mode }).ended()
  expect(code).toBe(1)
  expect(lines).toContainEqual(expect.objectContaining({ level: 'fatal', msg: 'Uncaught exception' }))
  expect(messages.filter((m) => m !== 'Started')).toEqual(['Uncaught exception', 'Draining', ...released, 'Exiting'])
})

test('exits with code 1 on an uncaught exception during shutdown', async () => {
  const { code } = await (await startAndSignal('SIGTERM', 'rejects while it ends')).ended()
  expect(code).toBe(1)
})

test('logs warnings of Node.js, once for each kind', async () => {
  const service = start({ NEEDED: 'x', MODE: 'warns' }, [])
  await service.seen('Started')
  child.kill('SIGTERM')
  const { lines } = await service.ended()
  expect(lines.filter(({ level }) => level !== 'info')).toMatchObject([
    { level: 'warn', name: 'fixture', warning: 'TimeoutNegativeWarning', msg: expect.stringContaining('-5') },
    { level: 'warn', warning: 'DeprecationWarning', code: 'OLD1', msg: 'Something is old' },
    { level: 'warn', warning: 'DeprecationWarning', code: 'OLD2', msg: 'Something else is old' },
  ])
  expect(lines[0]).not.toHaveProperty('stack')
})
