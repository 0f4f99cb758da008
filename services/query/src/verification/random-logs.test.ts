import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { changeEntrySchema } from '@herald/contracts'
import { usually } from '@herald/jest-preset/full-run'
import { createSealedLog, createSigningKey, formatExport } from '@herald/sealed-log/testing'
import { afterAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { verify } from './verify.ts'

const folder = mkdtempSync(join(tmpdir(), 'herald-random-logs-'))
afterAll(() => rmSync(folder, { recursive: true }))
const key = createSigningKey()

async function run(exported: string | Buffer, checkpoint: string, verifierKey: string) {
  const [exportFile, checkpointFile] = [join(folder, 'export'), join(folder, 'checkpoint')]
  writeFileSync(exportFile, exported)
  writeFileSync(checkpointFile, checkpoint)
  const [output, notes] = [new PassThrough(), new PassThrough()]
  const files = ['--export', exportFile, '--checkpoint', checkpointFile, '--key', verifierKey]
  const code = await verify([...files, '--retention-days', '30'], { output, notes })
  output.end()
  return { code, findings: await text(output) }
}

const operation = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ kind: fc.constant('erase' as const), count: fc.nat(9) }),
  fc.record({ kind: fc.constant('expire' as const), count: fc.nat(300) }),
  fc.record({ kind: fc.constant('seal' as const), count: fc.constant(0) }),
)

test('no true log is called altered or incomplete, whatever happened to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 12 }), fc.nat(), async (operations, number) => {
      const log = createSealedLog({ key })
      log.addEntries(1)
      log.seal()
      const sizes = [1]
      for (const { kind, count } of operations) {
        if (kind === 'add') log.addEntries(count)
        if (kind === 'erase') log.erase(count)
        if (kind === 'expire') log.expire(0, count)
        if (kind !== 'seal') continue
        log.seal()
        sizes.push(log.lines.length)
      }
      const chosen = number % sizes.length
      const size = sizes[chosen] as number
      const { code, findings } = await run(formatExport(log.lines, ''), log.checkpoints[chosen] ?? '', log.verifierKey)

      const erasures = log.lines.filter(({ erasure, leafIndex }) => erasure && leafIndex < size)
      const isNamed = (index: number) =>
        erasures.some(({ erasure }) => erasure?.leafIndexes.some(([from, to]) => from <= index && index < to))
      const isErased = log.lines.some(({ gone, leafIndex }) => gone === 'erased' && isNamed(leafIndex))
      expect(findings).not.toMatch(/^[125] /m)
      expect(code).toBe(isErased ? 3 : log.lines.length > size ? 4 : 0)
    }),
    { numRuns: usually(40, { inFullRuns: 100 }) },
  )
})

/** Returns the provable part of the lines: only fields of a leaf, and of an erased entry everything but its user. */
function provable(exported: Buffer) {
  return exported
    .toString()
    .split('\n')
    .slice(1, -1)
    .map((text) => {
      const { entry, ...line } = JSON.parse(text)
      if (line.gone !== 'erased') return { ...line, entry }
      const { user, ...others } = entry
      return { ...line, entry: Object.fromEntries(Object.entries(others).filter(([name]) => name in leafFields)) }
    })
}
const leafFields = changeEntrySchema.shape

test('any changed byte of what a leaf contains is found', async () => {
  const log = createSealedLog({ key })
  log.addEntries(40, 5)
  log.erase(1)
  log.expire(0, 3)
  const checkpoint = log.seal()
  const exported = Buffer.from(formatExport(log.lines, checkpoint))
  const usual = await run(exported, checkpoint, log.verifierKey)
  const start = exported.indexOf('\n') + 1
  const lines = provable(exported)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: start, max: exported.length - 2 }), fc.nat(255), async (at, byte) => {
      const changed = Buffer.from(exported)
      changed[at] = byte
      const { code, findings } = await run(changed, checkpoint, log.verifierKey)
      if (findings !== usual.findings) {
        expect([1, 2, 5]).toContain(code)
        return
      }
      // Some changes only write the content in other characters, such as E in a number for e.
      expect(isDeepStrictEqual(provable(changed), lines)).toBe(true)
    }),
    { numRuns: usually(400, { inFullRuns: 1_500 }) },
  )
})
