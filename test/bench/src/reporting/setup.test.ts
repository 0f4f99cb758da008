import { expect, test } from '@jest/globals'
import { filesOf, versionOf } from './setup.ts'

test('the version of a part covers what it imports and the programs that it starts', async () => {
  const files = [...(await filesOf('ingest')).keys()]
  expect(files).toEqual(
    expect.arrayContaining(['run-part.ts', 'parts/ingest.ts', 'ingest/drain.ts', 'ceilings/ingest.ts']),
  )
  // Its text contains the type `Part`, which is not executed.
  expect(files).not.toContain('part.ts')
  expect(files.filter((file) => file.startsWith('reporting/') || /^parts\/(?!ingest)/.test(file))).toEqual([])
})

test('parts have different versions', async () => {
  expect(await versionOf('ingest')).not.toBe(await versionOf('captured'))
})
