import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { run } from './commands.ts'
import type { Series } from './exposed-series.ts'

/** A series and its samples, a minute apart, in promtool's notation: `0+1x40`. */
export type Input = Omit<Series, 'value'> & { readonly samples: string }

/** Evaluates rules with promtool; throws an error with its output unless exactly these alerts fire after `minutes`. */
export async function expectFiring(
  folder: string,
  rules: string,
  input: readonly Input[],
  minutes: number,
  alerts: string[],
) {
  const file = join(folder, 'test.yaml')
  const firing = {
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${minutes}m`,
    exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  }
  const test = {
    interval: '1m',
    input_series: input.map(({ name, labels, samples }) => ({ series: `${name}${stringOf(labels)}`, values: samples })),
    promql_expr_test: [firing],
  }
  writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }))
  await run('promtool', ['test', 'rules', file])
}

const stringOf = (labels: Series['labels']) =>
  `{${Object.entries(labels)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}}`
