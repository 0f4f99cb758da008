import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const steps = fileURLToPath(new URL('../../../.ci/steps.sh', import.meta.url))

type Step = [output: string, code: number, skips?: number]

/** Runs steps that print an output and exit with a code. */
function run(...taken: readonly Step[]) {
  return runLines(
    taken.map(
      ([output, code, skips]) =>
        `step ${skips === undefined ? '' : `--skips ${skips} `}sh -c 'printf "first\\n${output}\\nlast\\n"; exit ${code}'`,
    ),
  )
}

function runLines(lines: readonly string[]) {
  const script = ['set -uo pipefail', `source '${steps}'`, ...lines, 'sum_up'].join('\n')
  // Ends when no process of a step is left that could write to its output.
  const { status, stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 20_000 })
  return { status, lines: stdout.split('\n').slice(0, -1) }
}

function take(...taken: readonly Step[]) {
  const { status, lines } = run(...taken)
  return { status, lastLine: lines.at(-1) }
}

const good: Step = ['20 passed, 0 failed, 2 skipped', 0, 2]

test('sums the counts of all steps', () => {
  expect(take(good, ['10 passed, 0 failed, 1 skipped', 0, 5])).toEqual({
    status: 0,
    lastLine: '30 passed, 0 failed, 3 skipped',
  })
})

test.each<[string, Step, string]>([
  ['that reports failures', ['8 passed, 3 failed, 1 skipped', 1, 1], '28 passed, 3 failed, 3 skipped'],
  ['that reports failures and exits with 0', ['8 passed, 3 failed, 1 skipped', 0, 1], '28 passed, 3 failed, 3 skipped'],
  ['that fails without reporting a failure', ['9 passed, 0 failed, 0 skipped', 1], '29 passed, 1 failed, 2 skipped'],
  ['that is interrupted before it reports', ['', 130], '20 passed, 1 failed, 2 skipped'],
  ['that reports nothing', ['', 0], '20 passed, 1 failed, 2 skipped'],
  ['that skips more than allowed', ['9 passed, 0 failed, 3 skipped', 0, 2], '29 passed, 1 failed, 5 skipped'],
  ['that skips although none is allowed', ['9 passed, 0 failed, 1 skipped', 0], '29 passed, 1 failed, 3 skipped'],
])('fails and continues after a step %s', (_, bad, lastLine) => {
  expect(take(bad, good)).toEqual({ status: 1, lastLine })
})

test('names the time of each step', () => {
  const { lines } = runLines([`step sh -c 'sleep 1; echo 20 passed, 0 failed, 0 skipped'`, 'step true'])
  const first = lines.findIndex((line) => /^All steps took [1-9]\d* s:$/.test(line))
  expect(lines.slice(first + 1, first + 3)).toEqual([
    expect.stringMatching(/^[1-9]\d* s: sh -c sleep 1/),
    expect.stringMatching(/^\d+ s: true$/),
  ])
})

test('repeats failures at the end', () => {
  const output = 'a:test: FAILED src/a.test.ts › does it: expected 1\\n8 passed, 1 failed, 0 skipped'
  expect(run([output, 1], good).lines.slice(-3)).toEqual([
    'FAILED src/a.test.ts › does it: expected 1',
    expect.stringMatching(/^FAILED step: sh -c /),
    '28 passed, 1 failed, 2 skipped',
  ])
})

test('ends a step that takes too long, with the processes that left its group, and continues', () => {
  const hangs = `step --seconds 3 sh -c 'setsid sleep 3601 & exec sleep 3602'`
  const { status, lines } = runLines([hangs, `step echo '20 passed, 0 failed, 0 skipped'`])
  expect(status).toBe(1)
  expect(lines).toContainEqual(expect.stringMatching(/^FAILED step: sh -c .* not done after 3 s; its processes:$/))
  for (const process of ['sleep 3601', 'sleep 3602']) {
    expect(lines).toContainEqual(expect.stringMatching(`^ *\\d+ .* ${process}$`))
  }
  expect(lines.at(-1)).toBe('20 passed, 1 failed, 0 skipped')
})
