import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { askRegistry } from './registry.ts'

// Runs the tests that install from npm's registry, or reports why they are skipped.
const folder = fileURLToPath(new URL('..', import.meta.url))
const jest = fileURLToPath(import.meta.resolve('@herald/jest-preset/jest'))
const reporters = ['--reporters=default', '--reporters=@herald/jest-preset/count-line']
const onlyThese = [
  '--testPathPatterns=/packages/',
  '--testPathIgnorePatterns=event-examples|registry',
  '--passWithNoTests=false',
]

const registry = await askRegistry()
if (registry.kind === 'answers') {
  const args = [jest, ...reporters, ...onlyThese, ...process.argv.slice(2)]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
  child.once('close', (code) => process.exit(code ?? 1))
} else {
  const isSkipped = registry.kind === 'unreachable'
  console.log(
    isSkipped
      ? `SKIPPED test/foreign/packages: npm cannot reach its registry: ${registry.reason}`
      : `FAILED: npm cannot use its registry: ${registry.reason}`,
  )
  console.log(isSkipped ? '0 passed, 0 failed, 1 skipped' : '0 passed, 1 failed, 0 skipped')
  process.exit(isSkipped ? 0 : 1)
}
