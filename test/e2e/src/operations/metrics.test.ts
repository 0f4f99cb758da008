import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createSealing } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { change, mention, structured } from '../support/events.ts'
import { startTestHerald, type TestHerald, uniqueName } from '../support/herald.ts'
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

let herald: TestHerald
let exposed: Map<string, Set<string>>

beforeAll(async () => {
  herald = await startTestHerald('metrics', { KAFKA_NOTIFICATION_TOPIC: uniqueName('announced'), ...createSealing() })
  const user = await herald.newUser()
  const events = [mention([user.id], { subscriberid: user.subscriberId })]
  const poison = change({ subscriberid: user.subscriberId, type: 'unknown' })
  await herald.publish(herald.topics.mention, events.map(structured))
  await herald.publish(herald.topics.change, [structured(poison)])
  await user.get('/')
  const scrape = async () => {
    const admins = [herald.ingest.adminUrl, herald.query.adminUrl, herald.seal.adminUrl]
    const [ingest, query, seal] = await Promise.all(admins.map(async (url) => (await send(`${url}/metrics`)).text))
    return (
      /herald_dead_letters_total\{.*\} 1/.test(ingest ?? '') &&
      /herald_lag_records\{/.test(ingest ?? '') && [ingest, query, seal]
    )
  }
  exposed = exposedIn((await eventually(scrape, { description: 'all metrics have series' })).join('\n'))
})
afterAll(() => herald?.stop())

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
  const own = [...exposed.keys()].filter((name) => /^(herald|http)_/.test(name) && !/_(sum|count|bucket)$/.test(name))
  expect(own.filter((name) => !read.has(name))).toEqual([])
})
