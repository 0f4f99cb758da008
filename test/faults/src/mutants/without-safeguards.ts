import type { Mutant } from './mutants.ts'

const batchRunner = 'services/ingest/dist/consume/batch-runner.js'
const offsetCommits = 'services/ingest/dist/consume/offset-commits.js'
const partitionBatch = 'packages/kafka/dist/client/partition-batch.js'
const leasedWorker = 'packages/runtime/dist/workers/leased-worker.js'
const fence = 'packages/mongo/dist/connection/fence.js'
const serverClock = 'packages/mongo/dist/connection/server-clock.js'
const erasures = 'packages/persons/dist/erasures.js'
const retractions = 'packages/feed/dist/retractions/retractions.js'

/** Returns the work itself, however long it takes. */
const keepNothing = '((_name, _limitMs, work) => work)('

/** Each lacks one thing that protects against processes and servers that were frozen, or clocks that differ. */
export const withoutSafeguards: readonly Mutant[] = [
  {
    name: 'no-chunk-deadline',
    modules: {
      [batchRunner]: [{ find: 'deadlines.keep(', replace: keepNothing }],
    },
  },
  {
    name: 'no-step-deadline',
    modules: {
      [leasedWorker]: [{ find: 'deadlines.keep(', replace: keepNothing }],
    },
  },
  {
    name: 'no-commit-fencing',
    modules: {
      [offsetCommits]: [{ find: 'due.clear();', replace: '' }],
      [partitionBatch]: [{ find: 'payload.isStale() || isLost()', replace: 'payload.isStale()' }],
    },
  },
  { name: 'no-insert-fence', modules: { [fence]: [{ find: 'checks.getStore()?.();', replace: '' }] } },
  {
    name: 'no-late-look',
    modules: {
      [erasures]: [{ find: '{ $set: { sealedId, dueAt } }', replace: '{ $set: { sealedId } }' }],
      [retractions]: [
        {
          find: "[{ $set: done }, { $unset: ['doneUpTo', 'unfinished'] }]",
          replace: "[{ $set: { done: true } }, { $unset: ['doneUpTo', 'unfinished', 'dueAt'] }]",
        },
      ],
    },
  },
  {
    name: 'process-clock',
    modules: {
      [serverClock]: [{ find: 'return () => new Date(', replace: 'return () => new Date(); () => new Date(' }],
    },
  },
]
