import { Gauge, type Registry } from 'prom-client'
import type { CapturedChanges } from './captured-changes.ts'

export const replacedNullsAdvice =
  'its converters write the default of a column in place of NULL; set replace.null.with.default=false for both'

/** Shows the topics in which NULL and the default of a column can't be told apart. */
export function showReplacedNulls(
  registry: Registry,
  { topics, withReplacedNulls }: Pick<CapturedChanges, 'topics' | 'withReplacedNulls'>,
): void {
  new Gauge({
    name: 'herald_captured_nulls_replaced',
    help: '1 if records of a mapped topic have the default of a column in place of NULL, else 0, by topic',
    labelNames: ['topic'],
    registers: [registry],
    collect() {
      for (const topic of topics) this.set({ topic }, withReplacedNulls.has(topic) ? 1 : 0)
    },
  })
}
