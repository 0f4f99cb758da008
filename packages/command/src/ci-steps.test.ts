import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from '@jest/globals'

const steps = fileURLToPath(new URL('../../../.ci/steps.sh', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'herald-ci-steps-'))
afterAll(() => rmSync(folder, { recursive: true }))
const list = join(folder, 'skips.txt')
writeFileSync(
  list,
  '# A comment.\n2026-11-01 run test/a needs a cluster\n2026-11-02 all test/b/src/b.test.ts has no server\n2026-11-03 github test/d needs a disk\n',
)

// Not those of the run that this test is part of.
const neither = { HERALD_FULL: '', GITHUB_ACTIONS: '' }

const script = (lines: readonly string[]) => ['set -uo pipefail', `source '${steps}'`, ...lines, 'sum_up'].join('\n')

function runLines(lines: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, ...neither, HERALD_CI_SKIPS: list, ...environment }
  // Ends when no process of a step is left that could write to its output.
  const { status, stdout } = spawnSync('bash', ['-c', script(lines)], { encoding: 'utf8', env, timeout: 20_000 })
  return { status, lines: stdout.split('\n').slice(0, -1) }
}

type Step = [output: string, code: number]

const stepOf = ([output, code]: Step) => `step sh -c 'printf "first\\n${output}\\nlast\\n"; exit ${code}'`
const run = (...taken: readonly Step[]) => runLines(taken.map(stepOf))

function take(...taken: readonly Step[]) {
  const { status, lines } = run(...taken)
  return { status, lastLine: lines.at(-1) }
}

const allowed = 'SKIPPED test/a/src/a.test.ts › is there'
const good: Step = [`${allowed}\\n20 passed, 0 failed, 1 skipped`, 0]

test('sums the counts of all steps', () => {
  expect(take(good, ['10 passed, 0 failed, 0 skipped', 0])).toEqual({
    status: 0,
    lastLine: '30 passed, 0 failed, 1 skipped',
  })
})

test.each<[string, Step, string]>([
  ['that reports failures', ['8 passed, 3 failed, 0 skipped', 1], '28 passed, 3 failed, 1 skipped'],
  ['that reports failures and exits with 0', ['8 passed, 3 failed, 0 skipped', 0], '28 passed, 3 failed, 1 skipped'],
  ['that fails without reporting a failure', ['9 passed, 0 failed, 0 skipped', 1], '29 passed, 1 failed, 1 skipped'],
  ['that is interrupted before it reports', ['', 130], '20 passed, 1 failed, 1 skipped'],
  ['that reports nothing', ['', 0], '20 passed, 1 failed, 1 skipped'],
  ['that skips without a name', ['9 passed, 0 failed, 1 skipped', 0], '29 passed, 1 failed, 2 skipped'],
  [
    'that skips what the list does not name',
    ['SKIPPED test/c/src/c.test.ts › works\\n9 passed, 0 failed, 1 skipped', 0],
    '29 passed, 1 failed, 2 skipped',
  ],
])('fails and continues after a step %s', (_, bad, lastLine) => {
  expect(take(bad, good)).toEqual({ status: 1, lastLine })
})

test('prints skipped tests with their reasons as the last lines before the sum', () => {
  const other = 'b:test: SKIPPED test/b/src/b.test.ts › is found'
  const failure = ['FAILED src/a.test.ts › does it: expected 1\\n8 passed, 1 failed, 0 skipped', 1] as Step
  expect(run(good, [`${other}\\n1 passed, 0 failed, 1 skipped`, 0], failure).lines.slice(-3)).toEqual([
    `${allowed}: needs a cluster (since 2026-11-01)`,
    'SKIPPED test/b/src/b.test.ts › is found: has no server (since 2026-11-02)',
    '29 passed, 1 failed, 2 skipped',
  ])
})

test('the full run allows only what is listed for it', () => {
  const lines = [good, ['SKIPPED test/b/src/b.test.ts › is found\\n1 passed, 0 failed, 1 skipped', 0] as Step]
  const full = runLines(lines.map(stepOf), { HERALD_FULL: '1' })
  expect(full.status).toBe(1)
  expect(full.lines).toContainEqual(
    expect.stringMatching(
      /^FAILED step: sh -c .*: skipped, which the list does not allow: test\/a\/src\/a\.test\.ts › /,
    ),
  )
  expect(full.lines.at(-1)).toBe('21 passed, 1 failed, 2 skipped')
  const onGitHub = ['SKIPPED test/d/src/d.test.ts › is there\\n1 passed, 0 failed, 1 skipped', 0] as Step
  for (const [environment, status] of [
    [{ HERALD_FULL: '1' }, 1],
    [{ HERALD_FULL: '1', GITHUB_ACTIONS: 'true' }, 0],
    [{}, 0],
  ] as const)
    expect([environment, runLines([stepOf(onGitHub)], environment).status]).toEqual([environment, status])
})

test('names the time of each step, and whether the sum is within its budget', () => {
  const { lines } = runLines([`step sh -c 'sleep 1; echo 20 passed, 0 failed, 0 skipped'`, 'step true'])
  const first = lines.findIndex((line) => /^All steps took [1-9]\d* s\.$/.test(line))
  expect(lines.slice(first + 1, first + 3)).toEqual([
    expect.stringMatching(/^[1-9]\d* s: sh -c sleep 1/),
    expect.stringMatching(/^\d+ s: true$/),
  ])
  const over = runLines(['budget=1', `step sh -c 'sleep 2; echo 20 passed, 0 failed, 0 skipped'`])
  expect(over.lines).toContainEqual(expect.stringMatching(/^All steps took \d+ s, which is over the budget of 1 s\.$/))
  expect(over.status).toBe(0)
})

test('repeats failures at the end', () => {
  const output = 'a:test: FAILED src/a.test.ts › does it: expected 1\\n8 passed, 1 failed, 0 skipped'
  expect(run([output, 1], ['2 passed, 0 failed, 0 skipped', 0]).lines.slice(-3)).toEqual([
    'FAILED src/a.test.ts › does it: expected 1',
    expect.stringMatching(/^FAILED step: sh -c /),
    '10 passed, 1 failed, 0 skipped',
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

test('begins no step after the last second of the run, and ends the one that is under way', () => {
  const { status, lines } = runLines([
    'within=3',
    `step sh -c 'exec sleep 3603'`,
    `step echo '1 passed, 0 failed, 0 skipped'`,
  ])
  expect(status).toBe(1)
  expect(lines).toContainEqual(expect.stringMatching(/^FAILED step: sh -c exec sleep 3603: not done after [123] s; /))
  expect(lines).toContain('FAILED step: echo 1 passed, 0 failed, 0 skipped: not begun within 3 s')
  expect(lines.at(-1)).toBe('0 passed, 2 failed, 0 skipped')
})

/** Two steps that can only end when both are under way: each opens a pipe that the other opens too. */
const meeting = join(folder, 'meeting')
const lanes = (first: readonly string[], second: readonly string[]) => [
  `rm -f '${meeting}'; mkfifo '${meeting}'`,
  `first() {\n${first.join('\n')}\n}`,
  `second() {\n${second.join('\n')}\n}`,
  'lanes first second',
]

test('lanes run at once; the output of each step is whole, and all counts are in the sum', () => {
  const { status, lines } = runLines(
    lanes(
      [
        `step sh -c 'echo a1; echo met >${meeting}; echo a2; echo "3 passed, 0 failed, 0 skipped"'`,
        `step sh -c 'echo "${allowed}"; echo "4 passed, 0 failed, 1 skipped"'`,
      ],
      [`step sh -c 'echo b1; read -r word <${meeting}; echo b2; echo "5 passed, 1 failed, 0 skipped"'`],
    ),
  )
  expect(status).toBe(1)
  for (const [from, to] of [
    ['a1', 'a2'],
    ['b1', 'b2'],
  ] as const)
    expect(lines.indexOf(to) - lines.indexOf(from)).toBe(1)
  expect(lines.slice(-3)).toEqual([
    expect.stringMatching(/^FAILED step: sh -c echo b1/),
    `${allowed}: needs a cluster (since 2026-11-01)`,
    '12 passed, 1 failed, 1 skipped',
  ])
})

test('a step that hangs in one lane is ended alone, and both lanes continue', () => {
  const { status, lines } = runLines(
    lanes(
      [
        `step --seconds 3 sh -c 'echo hanging; setsid sleep 3604 & exec sleep 3605'`,
        `step echo '1 passed, 0 failed, 0 skipped'`,
      ],
      [`step sh -c 'sleep 5; echo "2 passed, 0 failed, 0 skipped"'`, `step echo '4 passed, 0 failed, 0 skipped'`],
    ),
  )
  expect(status).toBe(1)
  const hanging = lines.indexOf('hanging')
  expect(lines[hanging + 1]).toMatch(/^FAILED step: sh -c echo hanging.* not done after 3 s; its processes:$/)
  expect(lines).toContainEqual(expect.stringMatching('^ *\\d+ .* sleep 3604$'))
  expect(lines.at(-1)).toBe('7 passed, 1 failed, 0 skipped')
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends the steps of all lanes', async (signal) => {
  const waiting = (seconds: number) => `step sh -c 'echo ready >&3; setsid sleep ${seconds} & exec sleep ${seconds}'`
  const lines = ['exec 3>&1', ...lanes([waiting(3606)], [waiting(3607)])]
  const child = spawn('bash', ['-c', script(lines)], { stdio: ['ignore', 'pipe', 'ignore'] })
  // The pipe closes once no process of a step is left.
  const closed = once(child, 'close')
  let output = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk
    if (output.split('ready\n').length === 3) child.kill(signal)
  }
  expect((await closed)[0]).toBe(130)
})
