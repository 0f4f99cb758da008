import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { onlyOnOurs, ownHeralds } from './own-heralds.ts'

const sources = fileURLToPath(new URL('..', import.meta.url))
const files = globSync('**/*.test.ts', { cwd: sources }).sort()
const textOf = (file: string) => readFileSync(join(sources, file), 'utf8')

/** The functions that start processes of the product. */
const starts = /\b(startOwnHerald|createKillableIngest|createPrograms|startHerald|startService|startProgram)\(/

/** The modules that a test file imports from this folder, itself included; not those of `support`, which start nothing by themselves. */
function partsOf(file: string): string[] {
  const imported = [...textOf(file).matchAll(/from '(\.[^']+-tests\.ts)'/g)]
  return [file, ...imported.map(([, path = '']) => join(dirname(file), path))]
}

test('only the listed files start a Herald of their own', () => {
  const starting = files.filter(
    (file) => file !== 'run/own-heralds.test.ts' && partsOf(file).some((part) => starts.test(textOf(part))),
  )
  expect(starting).toEqual(Object.keys(ownHeralds).sort())
})

test('all others use the shared Herald', () => {
  const others = files.filter((file) => !(file in ownHeralds) && !file.startsWith('run/'))
  expect(others.filter((file) => !textOf(file).includes('useSharedHerald('))).toEqual([])
})

test('test:attached leaves out the files that need more than the address of a Herald', () => {
  const { scripts } = JSON.parse(textOf('../package.json'))
  const [, ignored = ''] = scripts['test:attached'].split(' --testPathIgnorePatterns ')
  const left = files.filter((file) => ignored.split(' ').some((pattern: string) => file.includes(pattern)))
  expect(left).toEqual([...Object.keys(ownHeralds), ...onlyOnOurs].sort())
})
