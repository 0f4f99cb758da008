import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventually } from '@herald/test-servers'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { change, mention, structured } from '../support/events.ts'
import type { TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { exposedIn, type Selector, selectorsIn } from '../support/metric-names.ts'

const components = fileURLToPath(new URL('../../../../deploy/kustomize/components/', import.meta.url))
const dashboard = JSON.parse(readFileSync(`${components}grafana-dashboard/herald.json`, 'utf8'))
const alerts = parse(readFileSync(`${components}alerts/prometheus-rule.yaml`, 'utf8'))

type Panel = { title: string; targets?: { expr: string }[] }
type Group = { rules: { alert: string; expr: string }[] }
const expressions: [string, string][] = [
  ...(dashboard.panels as Panel[]).flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [`the panel “${title}”`, expr]),
  ),
  ...(alerts.spec.groups as Group[]).flatMap(({ rules }) =>
    rules.map(({ alert, expr }): [string, string] => [`the alert ${alert}`, expr]),
  ),
]
/** Series and labels that Prometheus adds itself. */
const added = new Set(['up', 'job', 'instance', 'le'])

export function describeMetrics(herald: () => TestHerald): void {
  describe('metrics', () => {
    let exposed: Map<string, Set<string>>

    beforeAll(async () => {
      const { newUser, publish, topics, ingest, query, seal } = herald()
      const user = await newUser()
      const events = [mention([user.id], { subscriberid: user.subscriberId })]
      const poison = change({ subscriberid: user.subscriberId, type: 'unknown' })
      await publish(topics.mention, events.map(structured))
      await publish(topics.change, [structured(poison)])
      await user.get('/')
      const scrape = async () => {
        const ofAll = [ingest, query, seal].map(async ({ adminUrl }) => (await send(`${adminUrl}/metrics`)).text)
        const [first = '', ...others] = await Promise.all(ofAll)
        return (
          /herald_dead_letters_total\{.*\} [1-9]/.test(first) &&
          /herald_lag_records\{/.test(first) && [first, ...others]
        )
      }
      exposed = exposedIn((await eventually(scrape, { description: 'all metrics have series' })).join('\n'))
    })

    test('selectorsIn finds exactly the metrics of a query', () => {
      const metrics = (query: string) => selectorsIn(query).map(({ metric }) => metric)
      expect(
        metrics('sum by (job) (rate(a_total{job=~"x{}|b_total",c="d"}[5m])) / on (e) f_count offset 10m > 0.01'),
      ).toEqual(['a_total', 'f_count'])
      expect(selectorsIn('a{b="c",d!~"e"}')).toEqual([{ metric: 'a', labels: ['b', 'd'] } satisfies Selector])
    })

    test.each(expressions)('%s reads only exposed metrics and labels', (_, expression) => {
      const selectors = selectorsIn(expression).filter(({ metric }) => !added.has(metric))
      if (!/\bup\b/.test(expression)) expect(selectors).not.toEqual([])
      for (const { metric, labels } of selectors) {
        expect([...exposed.keys()]).toContain(metric)
        const own = exposed.get(metric) ?? new Set()
        // A metric without series has no labels yet.
        if (own.size > 0) expect([...own]).toEqual(expect.arrayContaining(labels.filter((label) => !added.has(label))))
      }
    })

    test('every Herald metric is on the dashboard or in an alert', () => {
      const read = new Set(expressions.flatMap(([, expression]) => selectorsIn(expression).map(({ metric }) => metric)))
      const own = [...exposed.keys()].filter(
        (name) => /^(herald|http)_/.test(name) && !/_(sum|count|bucket)$/.test(name),
      )
      expect(own.filter((name) => !read.has(name))).toEqual([])
    })
  })
}
