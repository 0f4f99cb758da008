import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { buildGo, go } from './go.ts'
import { type Case, createCases } from './sealed-log.ts'
import { ownFile } from './toolchain.ts'

const folder = mkdtempSync(join(tmpdir(), 'herald-sealed-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const why = await go.whyNot()
if (why !== undefined) console.warn(`Skipped ${go.name}: ${why}.`)
const testHere = why === undefined ? test : test.skip

testHere(
  'the libraries of other logs verify leaves, proofs and checkpoints, and find what is false',
  async () => {
    const program = await buildGo(ownFile('verifiers/go'), folder)
    const verify = (cases: readonly Case[]) => {
      const { stdout, stderr } = spawnSync(program, { input: JSON.stringify(cases), encoding: 'utf8', timeout: 60_000 })
      expect(stderr).toBe('')
      return stdout.trim().split('\n')
    }
    const { truths, lies } = await createCases()
    expect(verify(truths)).toEqual(truths.map(() => 'ok'))
    const found = verify(lies.map(([, lie]) => lie))
    expect(found.length).toBe(lies.length)
    expect(lies.filter((_, i) => found[i] === 'ok').map(([name]) => name)).toEqual([])
  },
  300_000,
)
