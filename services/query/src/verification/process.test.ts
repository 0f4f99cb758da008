import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isFullRun } from '@herald/jest-preset/full-run'
import { signCheckpoint } from '@herald/sealed-log'
import { createSealedLog, formatExport } from '@herald/sealed-log/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

const folder = mkdtempSync(join(tmpdir(), 'herald-verify-process-'))
const [exportFile, checkpointFile] = [join(folder, 'export.ndjson'), join(folder, 'checkpoint')]
const program = fileURLToPath(new URL('../verify.ts', import.meta.url))
const log = createSealedLog()

beforeAll(() => {
  log.addEntries(20_000)
  log.erase(3)
  log.seal()
  writeFileSync(exportFile, formatExport(log.lines, log.checkpoints[0] ?? ''))
  writeFileSync(checkpointFile, log.checkpoints[0] ?? '')
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [program, ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
const files = () => ['--export', exportFile, '--checkpoint', checkpointFile, '--key', log.verifierKey]

test('the exit code is that of the lowest finding; findings are on stdout and the result on stderr', async () => {
  const { code, stdout, stderr } = await run(...files())
  expect(code).toBe(3)
  expect(stdout.match(/^3 \d+ entry \S+: its user was erased by .*\n/gm)).toHaveLength(2000)
  expect(stderr).toBe(
    '20001 leaves read; the checkpoint has size 20001\nResult: whole, but for users that were erased by erasures in the log\n',
  )
})

test('what could not be checked is one line on stdout and exit code 5', async () => {
  expect(await run('--export', exportFile)).toEqual({
    code: 5,
    stdout: '5 - --checkpoint is missing; see --help\n',
    stderr: '',
  })
})

test('--help describes options and exit codes', async () => {
  const { code, stdout } = await run('--help')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/--retention-days N[\s\S]*5 {2}could not be checked/)])
})

test('findings that nobody reads are no result', async () => {
  const child = spawn(process.execPath, [program, ...files()], { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.destroy()
  expect(await once(child, 'exit')).toEqual([5, null])
})

const heapMiB = 24
const heapLimits = [`--max-old-space-size=${heapMiB}`, '--max-semi-space-size=2']

test('a long export is checked in a heap that could not hold it', async () => {
  const long = createSealedLog({ key: log.key })
  long.addEntries(90_000)
  writeFileSync(exportFile, formatExport(long.lines, ''))
  writeFileSync(checkpointFile, long.seal())
  expect(statSync(exportFile).size).toBeGreaterThan(2 * heapMiB * 1024 * 1024)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...heapLimits, program, ...files()])
  expect([stdout, stderr]).toEqual(['', '90000 leaves read; the checkpoint has size 90000\nResult: whole\n'])
})

test('lines in descending order are each a finding, in a heap that holds little more than their indexes', async () => {
  const count = isFullRun ? 1_000_000 : 100_000
  const leafHash = Buffer.alloc(32).toString('base64')
  const lines = Array.from({ length: count }, (_, i) => ({ leafIndex: count - 1 - i, leafHash, gone: 'expired' }))
  writeFileSync(exportFile, formatExport(lines, ''))
  writeFileSync(checkpointFile, signCheckpoint({ size: count, root: Buffer.alloc(32) }, log.name, [log.key]))
  const limit = `--max-old-space-size=${isFullRun ? 100 : heapMiB}`
  const findings = join(folder, 'findings')
  const child = spawn(process.execPath, [limit, program, ...files(), '--retention-days', '1'], {
    stdio: ['ignore', openSync(findings, 'w'), 'ignore'],
  })
  expect(await once(child, 'exit')).toEqual([1, null])
  const printed = readFileSync(findings, 'utf8').split('\n')
  expect(printed.length - 1).toBe(count - 1)
  expect(printed[0]).toBe(`1 ${count - 1} leaf: the line is out of turn, ahead of others`)
})

test('an export with more than a million gaps is not checked', async () => {
  const lines = Array.from({ length: 1_000_002 }, (_, i) => `{"leafIndex":${2 * i + 1}}\n`)
  writeFileSync(exportFile, lines.join(''))
  writeFileSync(checkpointFile, signCheckpoint({ size: 1, root: Buffer.alloc(32) }, log.name, [log.key]))
  expect(await run(...files())).toEqual({
    code: 5,
    stdout: `5 - ${exportFile} has more than 1000000 gaps and lines out of turn: sort it by leafIndex\n`,
    stderr: '',
  })
})

test('loads nothing but the library of the log', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) })
    await import(process.argv[1])
    process.exitCode = 0
  `
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, program])
  const packages = Array.from(stderr.matchAll(/(?:node_modules|packages)\/([^/\n]+)\//g), ([, name]) => name)
  expect([...new Set(packages)].toSorted()).toEqual(['safe-stable-stringify', 'sealed-log'])
})
