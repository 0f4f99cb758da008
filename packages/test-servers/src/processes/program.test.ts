import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import { findFreePort } from './free-port.ts'
import { eventually } from './polling.ts'
import { runs } from './processes.fixture.ts'
import { type ProgramOptions, startProgram } from './program.ts'

function nodeProgram(script: string, options: Partial<ProgramOptions> = {}): ProgramOptions {
  return {
    name: 'The program',
    command: process.execPath,
    args: ['-e', script],
    environment: process.env,
    ready: { line: /^ready/ },
    ...options,
  }
}

const fixture = fileURLToPath(new URL('./starter.fixture.ts', import.meta.url))
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(options: ProgramOptions) {
  const program = await startProgram(options)
  stops.push(program.stop)
  return program
}

const forEver = 'console.log("ready"); setInterval(() => {}, 1000)'

test('waits for the ready line, and removes the folder on stop', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'herald-program-'))
  const program = await start(
    nodeProgram(`console.error("first"); ${forEver}`, {
      folder,
      prepare: () => writeFile(join(folder, 'file'), ''),
    }),
  )
  expect(program.logs().sort()).toEqual(['first', 'ready'])
  expect([runs(program.pid), existsSync(join(folder, 'file'))]).toEqual([true, true])
  await program.stop()
  expect([runs(program.pid), existsSync(folder)]).toEqual([false, false])
  expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await program.stop()
})

test('waits until the ready URL returns 200', async () => {
  const port = await findFreePort()
  const script = `let asked = 0; require("http").createServer((_, response) => {
    response.statusCode = ++asked < 3 ? 503 : 200; console.log(response.statusCode); response.end() }).listen(${port})`
  const program = await start(nodeProgram(script, { ready: { url: `http://127.0.0.1:${port}/readyz` } }))
  await program.stop()
  expect(program.logs()).toEqual(['503', '503', '200'])
})

test('restarts a killed program with its folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'herald-program-'))
  const script = `require("fs").appendFileSync(${JSON.stringify(join(folder, 'file'))}, "x"); ${forEver}`
  const program = await start(nodeProgram(script, { folder }))
  const first = program.pid
  program.kill('SIGKILL')
  expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await program.restart()
  expect([program.pid === first, runs(first), runs(program.pid), existsSync(folder)]).toEqual([
    false,
    false,
    true,
    true,
  ])
  await program.restart()
  expect(program.logs()).toEqual(['ready', 'ready', 'ready'])
  await program.stop()
})

test('does not kill a program that handles the stop signal', async () => {
  const script = `process.on("SIGTERM", () => { console.log("bye"); process.exit(3) }); ${forEver}`
  const program = await start(nodeProgram(script, { stopSignal: 'SIGTERM' }))
  await program.stop()
  expect(await program.exited).toEqual({ code: 3, signal: null })
  expect(program.logs()).toEqual(['ready', 'bye'])
})

test('throws with the last lines and removes the folder when a program exits before it is ready', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'herald-program-'))
  const failing = nodeProgram('console.log("port taken"); process.exit(7)', { folder })
  await expect(startProgram(failing)).rejects.toThrow(
    'The program exited before it was ready (exit code 7):\nport taken',
  )
  expect(existsSync(folder)).toBe(false)
})

test('throws and removes the folder when a program is missing or cannot be prepared', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'herald-program-'))
  await expect(startProgram(nodeProgram('', { command: '/nowhere/java', folder }))).rejects.toThrow(
    'The program could not be started.',
  )
  expect(existsSync(folder)).toBe(false)
  const prepare = () => Promise.reject(new Error('The disk is full.'))
  await expect(startProgram(nodeProgram(forEver, { prepare }))).rejects.toThrow('The disk is full.')
})

test.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'ends the program and removes its folder when its parent ends by %s',
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'herald-program-'))
    const starter = spawn(process.execPath, ['--no-warnings', fixture, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: starter.stdout })
    const [line] = await once(lines, 'line')
    const pid = Number(line)
    expect([runs(pid), existsSync(folder)]).toEqual([true, true])
    starter.kill(signal)
    await eventually(() => !runs(pid), { description: 'the program is gone' })
    await eventually(() => !existsSync(folder), { description: 'the folder is gone' })
  },
)
