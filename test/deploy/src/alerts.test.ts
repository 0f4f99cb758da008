import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse, stringify } from 'yaml'
import { isThere, run } from './commands.ts'
import { changeEvent, type Scrape, type Series, startExposing } from './exposed-series.ts'
import { root } from './overlays.ts'
import { expectFiring, type Input } from './promtool.ts'

type Rule = { alert: string; expr: string; for?: string; labels: object; annotations: Record<string, string> }
const read = (path: string) => readFileSync(`${root}deploy/${path}`, 'utf8')
const { groups } = parse(read('kustomize/components/alerts/prometheus-rule.yaml')).spec as {
  groups: { name: string; rules: Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const anchors = [...read('runbooks.md').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-'),
)

test.each(rules.map((rule): [string, Rule] => [rule.alert, rule]))(
  '%s has a severity, a summary and a runbook',
  (_, rule) => {
    expect(rule.labels).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) })
    expect(rule.annotations.summary).toMatch(/./)
    const [file, anchor] = rule.annotations.runbook_url?.split('#') ?? []
    expect(file).toMatch(/^https:\/\/.*\/deploy\/runbooks\.md$/)
    expect(anchors).toContain(anchor)
  },
)

const hasPromtool = isThere('promtool', '--version')
if (!hasPromtool) console.warn('Skipped the evaluation of the alert rules: promtool is not on the PATH.')
if (process.env.CI === 'true') {
  test('promtool is on the PATH in CI', () => expect(hasPromtool).toBe(true))
}

const onPromtool = hasPromtool ? describe : describe.skip
onPromtool('evaluated by promtool, on the series of running services', () => {
  const folder = mkdtempSync(join(tmpdir(), 'herald-alerts-'))
  const rulesFile = join(folder, 'rules.yaml')
  let services: Awaited<ReturnType<typeof startExposing>>
  const fired = new Set<string>()
  let before: Scrape
  let after: Scrape

  beforeAll(async () => {
    writeFileSync(rulesFile, stringify({ groups }))
    services = await startExposing()
    await services.publish('change', changeEvent())
    before = await scrapeUntil((found) => valueIn(found, 'herald_event_age_seconds_count') === 1)
    await services.publish('mention', 'not JSON')
    after = await scrapeUntil((found) => valueIn(found, 'herald_dead_letters_total', { code: 'not_json' }) === 1)
  })
  afterAll(async () => {
    await services?.stop()
    rmSync(folder, { recursive: true })
  })

  /** Polls until the condition is met and the lags are exposed: one is read from the broker, the other begins with the sealer. */
  async function scrapeUntil(condition: (found: Scrape) => boolean): Promise<Scrape> {
    const deadline = Date.now() + 60_000
    for (;;) {
      const found = await services.scrape()
      const lags = ['herald_lag_records', 'herald_log_seal_lag_seconds'].map((name) => valueIn(found, name))
      if (condition(found) && !lags.includes(undefined)) return found
      if (Date.now() > deadline) throw new Error(`The series were not exposed in 60 s: ${condition}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  test('the rules are well-formed', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', rulesFile])
    expect(stdout).toContain(`${rules.length} rules found`)
  })

  test.each(rules.map(({ alert, expr }) => [alert, expr]))('%s uses only series and labels that exist', (_, expr) => {
    for (const [, name = '', matchers = ''] of expr.matchAll(/\b((?:herald|http)_\w+)(?:\{([^}]*)\})?/g)) {
      const found = before.series.filter((series) => series.name === name)
      expect([name, found.length]).not.toEqual([name, 0])
      for (const [, label = ''] of matchers.matchAll(/(\w+)(?:=~|!~|=|!=)"/g)) {
        expect(Object.keys(found[0]?.labels ?? {})).toContain(label)
      }
    }
  })

  test('the dashboard uses only metrics that exist', () => {
    const queries = [...read('kustomize/components/grafana-dashboard/herald.json').matchAll(/"expr": (".*")/g)]
    const named = queries.flatMap(([, query = '']) => JSON.parse(query).match(/\b(?:herald|http|process|nodejs)_\w+/g))
    const metrics = new Set(named.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
    expect([...metrics].filter((name) => !before.names.has(name))).toEqual([])
  })

  test('no alert fires for idle services', () => expectAlerts(30, []))

  test('the first dead letter fires, between two scrapes', () =>
    expectAlerts(8, ['HeraldDeadLetters'], (series) => {
      const then = after.series.find((other) => isSame(series, other))
      return then && `${series.value}x4 ${then.value}x40`
    }))

  test('a dead letter before the first scrape fires for 15 minutes', async () => {
    const late = only('herald_dead_letters_total', { code: 'not_json' }, '_x5 2x60')
    await expectAlerts(8, ['HeraldDeadLetters'], late)
    await expectAlerts(30, [], late)
  })

  test('one stuck partition fires while others progress', () =>
    expectAlerts(
      15,
      ['HeraldNoProgress'],
      only('herald_partition_seconds_since_progress', { topic: services.topics.mention, partition: '1' }, '0+60x40'),
      only('herald_lag_records', { topic: services.topics.mention, partition: '1' }, '5x40'),
    ))

  test('no progress without work does not fire', () =>
    expectAlerts(15, [], only('herald_seconds_since_progress', {}, '0+60x40')))

  test('a group whose position cannot be read fires', () =>
    expectAlerts(10, ['HeraldLagUnknown'], (series) =>
      /^herald_(lag_records|partition_seconds_since_progress)$/.test(series.name) ? '_x40' : undefined,
    ))

  test('a growing lag fires', () =>
    expectAlerts(30, ['HeraldLagGrowing'], only('herald_lag_records', { topic: services.topics.mention }, '0+1000x40')))

  test('a lag that is being worked off does not fire', () =>
    expectAlerts(30, [], only('herald_lag_records', { topic: services.topics.mention }, '500000-10000x40')))

  test('late events fire when chunks are retried, and not in a replay', async () => {
    const late = only('herald_event_age_seconds_bucket', { topic: services.topics.change }, ({ labels }) =>
      Number(labels.le?.replace('+Inf', 'Infinity')) > 120 ? '0+60x40' : '0x40',
    )
    await expectAlerts(25, ['HeraldEventsLate'], late, only('herald_chunk_retries_total', {}, '0+1x40'))
    await expectAlerts(25, [], late)
  })

  test('one error in fifty responses fires', () =>
    expectAlerts(15, ['HeraldErrorRate'], ({ name, labels }) => {
      if (name !== 'http_request_duration_seconds_count' || labels.job !== 'herald-query') return undefined
      return labels.status === '200' ? '0+49x40' : { status: '503', samples: '0+1x40' }
    }))

  test('slow responses fire', () =>
    expectAlerts(
      25,
      ['HeraldSlow'],
      only('http_request_duration_seconds_bucket', { job: 'herald-query', status: '200' }, ({ labels }) =>
        Number(labels.le?.replace('+Inf', 'Infinity')) > 1 ? '0+100x40' : '0+90x40',
      ),
    ))

  test('a missing index and an unresponsive MongoDB fire different alerts', () =>
    expectAlerts(
      10,
      ['HeraldDependencyAway', 'HeraldIndexMissing'],
      only('herald_readiness_check', { job: 'herald-query', check: 'mongodb', answer: 'failing' }, '1x40'),
      only('herald_readiness_check', { job: 'herald-ingest', check: 'mongodb', answer: 'unanswered' }, '1x40'),
    ))

  test('a full budget fires, and a share that is used up does not', async () => {
    const refused = (reason: string) => only('herald_budget_refused_total', { budget: 'bodies', reason }, '0+10x40')
    await expectAlerts(10, ['HeraldBudgetFull'], refused('full'))
    await expectAlerts(10, [], refused('share'))
  })

  test('a change stream that is behind fires', () =>
    expectAlerts(15, ['HeraldChangeStreamBehind'], only('herald_change_stream_behind_seconds', {}, '0+30x40')))

  test('a recorded order that is behind fires', () =>
    expectAlerts(10, ['HeraldOrderBehind'], only('herald_order_lag_seconds', {}, '0+30x40')))

  test('erasures and announcements that stand still fire', () =>
    expectAlerts(
      15,
      ['HeraldAnnouncementsStalled', 'HeraldErasuresStalled'],
      only('herald_erasures_oldest_seconds', {}, '0+60x40'),
      only('herald_announcements_oldest_seconds', {}, '0+60x40'),
    ))

  test('erasures and announcements that are worked off do not fire', () =>
    expectAlerts(
      15,
      [],
      only('herald_erasures_oldest_seconds', {}, '200x40'),
      only('herald_announcements_oldest_seconds', {}, '600-60x10 0x30'),
    ))

  test('a MongoDB that was restored fires at once, until the group was set back', async () => {
    const restored = only('herald_restored_behind_seconds', {}, '0x1 3600+60x10 0x10')
    await expectAlerts(3, ['HeraldRestored'], restored)
    await expectAlerts(15, [], restored)
  })

  test('a sealed log that is stopped fires at once', () =>
    expectAlerts(2, ['HeraldLogConflict'], only('herald_log_conflict', {}, '0x1 1x40')))

  test('sealing that is behind fires', () =>
    expectAlerts(15, ['HeraldSealingBehind'], only('herald_log_seal_lag_seconds', {}, '0+60x40')))

  test('a witness that lacks a checkpoint fires', () =>
    expectAlerts(15, ['HeraldWitnessBehind'], only('herald_log_witness_lag_seconds', {}, '0+60x40')))

  test.each(['6x40', '-6x40'])('a clock that is off (%s s) fires', (samples) =>
    expectAlerts(6, ['HeraldClocksApart'], only('herald_clock_difference_seconds', { job: 'herald-query' }, samples)),
  )

  test('a retention that differs fires after an hour', async () => {
    const differs = only('herald_retention_differs', {}, '1x90')
    await expectAlerts(50, [], differs)
    await expectAlerts(70, ['HeraldRetentionDiffers'], differs)
  })

  test('a service of which no process can be scraped fires', () =>
    expectAlerts(10, ['HeraldDown'], only('up', { job: 'herald-query' }, '0x40')))

  test('every alert has fired in a test above', () => {
    expect([...fired].sort()).toEqual(rules.map(({ alert }) => alert).sort())
  })

  /** A change to a real series: other samples, or a copy with another status. */
  type Change = (series: Series) => string | { status: string; samples: string } | undefined

  /** Evaluates the scraped series, each modified by the first change that matches it. Every change must match at least one. */
  async function expectAlerts(minutes: number, alerts: string[], ...changes: Change[]) {
    const up = ['herald-ingest', 'herald-query', 'herald-seal'].map((job) => ({
      name: 'up',
      labels: { job, instance: `${job}-0` },
      value: 1,
    }))
    const used = new Set<Change>()
    const input = [...before.series, ...up].map((series): Input => {
      const { name, labels, value } = series
      for (const change of changes) {
        const changed = change(series)
        if (changed === undefined) continue
        used.add(change)
        if (typeof changed === 'string') return { name, labels, samples: changed }
        return { name, labels: { ...labels, status: changed.status }, samples: changed.samples }
      }
      return { name, labels, samples: `${value}x100` }
    })
    expect(used.size).toBe(changes.length)
    await expectFiring(folder, rulesFile, input, minutes, alerts)
    for (const alert of alerts) fired.add(alert)
  }
})

const matches = (labels: Series['labels'], expected: Series['labels']) =>
  Object.entries(expected).every(([key, value]) => labels[key] === value)
const isSame = (one: Series, other: Series) => one.name === other.name && matches(one.labels, other.labels)
const valueIn = ({ series }: Scrape, name: string, labels: Series['labels'] = {}) =>
  series.find((one) => one.name === name && matches(one.labels, labels))?.value

/** A change that gives the series with this name and these labels other samples. */
const only =
  (name: string, labels: Series['labels'], samples: string | ((series: Series) => string)) => (series: Series) => {
    if (series.name !== name || !matches(series.labels, labels)) return undefined
    return typeof samples === 'string' ? samples : samples(series)
  }
