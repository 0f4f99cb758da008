import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { buildGo, go } from './go.ts'
import { readLiveLog } from './live-log.ts'
import { type Case, createCases, createTextProofs } from './sealed-log.ts'
import { ownFile } from './toolchain.ts'

const folder = mkdtempSync(join(tmpdir(), 'herald-sealed-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const why = await go.whyNot()
if (why !== undefined) console.warn(`Skipped ${go.name}: ${why}.`)
const testHere = why === undefined ? test : test.skip

let program: string | undefined

/** Runs the Go program. Returns a line for each case: `ok`, or why it does not verify. */
async function verify(cases: readonly Case[]): Promise<string[]> {
  program ??= await buildGo(ownFile('verifiers/go'), folder)
  const { stdout, stderr } = spawnSync(program, { input: JSON.stringify(cases), encoding: 'utf8', timeout: 60_000 })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

testHere(
  'the libraries of other logs verify leaves, proofs and checkpoints, and find what is false',
  async () => {
    const { truths, lies } = await createCases()
    expect(await verify(truths)).toEqual(truths.map(() => 'ok'))
    const found = await verify(lies.map(([, lie]) => lie))
    expect(found.length).toBe(lies.length)
    expect(lies.filter((_, i) => found[i] === 'ok').map(([name]) => name)).toEqual([])
  },
  300_000,
)

testHere(
  'torchwood verifies a proof as text from the key of the log only, and finds what is false',
  async () => {
    const built = await buildGo(ownFile('verifiers/torchwood'), join(folder, 'torchwood'), [1, 27])
    const { verifierKey, truths, lies } = await createTextProofs()
    const proofs = [...truths, ...lies.map(([, lie]) => lie)]
    const input = JSON.stringify({ policy: `log ${verifierKey}\nquorum none\n`, proofs })
    const { stdout, stderr } = spawnSync(built, { input, encoding: 'utf8', timeout: 60_000 })
    expect(stderr).toBe('')
    const verdicts = stdout.trim().split('\n')
    expect(verdicts.slice(0, truths.length).map((line) => line.split(' ')[0])).toEqual(truths.map(() => 'ok'))
    const found = verdicts.slice(truths.length)
    expect(found.length).toBe(lies.length)
    expect(lies.filter((_, i) => found[i]?.startsWith('ok')).map(([name]) => name)).toEqual([])
  },
  300_000,
)

testHere(
  'the program in the guide verifies a proof from the key of the log only, and prints the entry',
  async () => {
    const guide = readFileSync(ownFile('../../services/query/guides/prove-the-change-log.md'), 'utf8')
    const source = join(folder, 'guide')
    cpSync(ownFile('verifiers/torchwood'), source, { recursive: true })
    writeFileSync(join(source, 'main.go'), /^```go verify-proof\/main.go\n(.*?)^```$/ms.exec(guide)?.[1] ?? '')
    const built = await buildGo(source, join(folder, 'guide-program'), [1, 27])
    const { verifierKey, truths, lies } = await createTextProofs()
    const run = (proof: string) => {
      writeFileSync(join(folder, 'entry.tlog-proof'), proof)
      const options = { encoding: 'utf8', timeout: 60_000 } as const
      const { status, stdout } = spawnSync(built, [verifierKey, join(folder, 'entry.tlog-proof')], options)
      return [status, stdout]
    }
    const entry = expect.stringMatching(/^\{"actionType":"update",.*"userHash":"[^"]*"\}$/s)
    expect(truths.map(run)).toEqual(truths.map(() => [0, entry]))
    expect(lies.map(([, lie]) => run(lie))).toEqual(lies.map(() => [1, '']))
  },
  300_000,
)

testHere(
  'they verify a log that a running service has sealed, and find an altered leaf of it',
  async () => {
    const cases = await readLiveLog()
    const count = (kind: Case['kind']) => cases.filter((one) => one.kind === kind).length
    expect([count('checkpoint'), count('consistency'), count('inclusion'), count('line')]).toEqual([1, 1, 11, 701])
    expect(await verify(cases)).toEqual(cases.map(() => 'ok'))
    const altered = cases.map((one) => JSON.parse(JSON.stringify(one).replaceAll('"report"', '"memo"')))
    const found = await verify(altered)
    expect(found.filter((_, i) => cases[i]?.kind === 'line').filter((verdict) => verdict === 'ok')).toHaveLength(1)
  },
  300_000,
)
