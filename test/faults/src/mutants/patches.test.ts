import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { limits } from './limits.ts'
import { mutants } from './mutants.ts'

const built = (module: string) => fileURLToPath(new URL(`../../../../${module}`, import.meta.url))

test.each([limits, ...mutants].map((change) => [change.name, change] as const))(
  'what %s changes in the product is there, once',
  (_, { modules }) => {
    for (const [module, change] of Object.entries(modules)) {
      expect([module, existsSync(built(module))]).toEqual([module, true])
      if (typeof change === 'string') continue
      const source = readFileSync(built(module), 'utf8')
      for (const { find } of change) expect([find, source.split(find).length - 1]).toEqual([find, 1])
    }
  },
)
