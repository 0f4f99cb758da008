import type { FanOutProgress, RewriteProgress, Store } from '@herald/store'
import type { SteppedMigration } from './work-off-migration.ts'

/** What `migrate.js --fan-outs` does. */
export const writeFanOuts = ({ missingFanOuts }: Store): SteppedMigration<FanOutProgress['phase']> => ({
  lease: 'migrate-fan-outs',
  messages: {
    reading: 'Reading notifications',
    writing: 'Writing fan-outs',
    done: 'All notifications have fan-outs',
  },
  step: missingFanOuts.step,
})

/** What `migrate.js --rewrite-notifications` does. */
export const rewriteNotifications = ({ rewrite }: Store): SteppedMigration<RewriteProgress['phase']> => ({
  lease: 'migrate-rewrite',
  messages: {
    copying: 'Copying notifications',
    following: 'Copying what has changed meanwhile',
    switching: 'Switching to the copy',
    done: 'The notifications are in blocks of the current size',
  },
  step: rewrite.step,
})
