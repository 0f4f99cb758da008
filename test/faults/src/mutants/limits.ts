import type { Mutant } from './mutants.ts'

/** Limits of the product that no setting changes, in milliseconds; what is absent stays as it is. */
export type Limits = {
  /** How old what was read may be when a writer sends its inserts. */
  insertWithinMs?: number
  /** When erasures and retractions are repeated. */
  lookAgainMs?: number
  /** The limit of a chunk, and of a step of a worker. */
  limitMs?: number
}

const names = {
  insertWithinMs: 'HERALD_INSERT_WITHIN_MS',
  lookAgainMs: 'HERALD_LOOK_AGAIN_MS',
  limitMs: 'HERALD_LIMIT_MS',
} as const

const read = (limit: keyof Limits, usual: string) => `Number(process.env.${names[limit]} ?? ${usual})`

/** Not a mutant: the product with limits that a test can wait for. */
export const limits: Mutant = {
  name: 'limits',
  modules: {
    'packages/mongo/dist/connection/fence.js': [
      { find: 'insertWithinMs = 60_000', replace: `insertWithinMs = ${read('insertWithinMs', '60_000')}` },
      { find: 'lookAgainMs = 15 * 60_000', replace: `lookAgainMs = ${read('lookAgainMs', '15 * 60_000')}` },
    ],
    'services/ingest/dist/settings/times.js': [
      { find: 'limitMs: 60_000', replace: `limitMs: ${read('limitMs', '60_000')}` },
    ],
  },
}

/** The environment of a process with these limits. */
export const limitSettings = (given: Limits): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([limit, ms]) => [names[limit as keyof Limits], String(ms)]))
