import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustHave } from '@herald/test-servers'
import { findChromium } from './chromium.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const jest = fileURLToPath(import.meta.resolve('@herald/jest-preset/jest'))

type Counts = { passed: number; failed: number; skipped: number }

async function runJest(args: readonly string[]): Promise<Counts> {
  const run = randomUUID()
  const child = spawn(process.execPath, [jest, ...args], {
    cwd: folder,
    env: { ...process.env, HERALD_TEST_RUN: run },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
  const code = await new Promise((resolve) => child.once('close', resolve))
  const counts: Counts & { run: string } = JSON.parse(await readFile(join(folder, '.turbo/test-servers.json'), 'utf8'))
  if (counts.run !== run) throw new Error('Jest reported no counts.')
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

async function main(): Promise<Counts> {
  if (findChromium() !== undefined) return runJest(process.argv.slice(2))
  if (mustHave('chromium')) throw new Error('HERALD_MUST_HAVE requires Chromium, which was not found.')
  console.log('SKIPPED test/browser: Chromium was not found; set CHROMIUM_PATH.')
  return { passed: 0, failed: 0, skipped: 1 }
}

const { passed, failed, skipped } = await main().catch((error): Counts => {
  console.error(error)
  return { passed: 0, failed: 1, skipped: 0 }
})
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed > 0 ? 1 : 0)
