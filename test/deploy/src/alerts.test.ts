import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { parse, stringify } from 'yaml'
import { isThere, run } from './commands.ts'
import { root } from './overlays.ts'

type Rule = { alert: string; expr: string; for?: string; labels: object; annotations: Record<string, string> }
const { groups } = parse(readFileSync(`${root}deploy/kustomize/components/alerts/prometheus-rule.yaml`, 'utf8'))
  .spec as {
  groups: { name: string; rules: Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const runbooks = readFileSync(`${root}deploy/runbooks.md`, 'utf8')
const anchors = [...runbooks.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-'),
)

test.each(rules.map((rule): [string, Rule] => [rule.alert, rule]))(
  '%s has a severity, a summary and a page of its own',
  (_, rule) => {
    expect(rule.labels).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) })
    expect(rule.annotations.summary).toMatch(/./)
    const [file, anchor] = rule.annotations.runbook_url?.split('#') ?? []
    expect(file).toMatch(/^https:\/\/.*\/deploy\/runbooks\.md$/)
    expect(anchors).toContain(anchor)
  },
)

const hasPromtool = isThere('promtool', '--version')
if (!hasPromtool) console.warn('Skipped: promtool is not on the PATH, so no rule was evaluated.')

describe('by Prometheus’s own tool', () => {
  const rule = hasPromtool ? test : test.skip
  const folder = mkdtempSync(join(tmpdir(), 'herald-alerts-'))
  const rulesFile = join(folder, 'rules.yaml')
  writeFileSync(rulesFile, stringify({ groups }))
  afterAll(() => rmSync(folder, { recursive: true }))

  rule('the rules are well-formed', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', rulesFile])
    expect(stdout).toContain(`${rules.length} rules found`)
  })

  /** Series a minute apart, and after how many minutes what is woken for. */
  const cases: [string, Record<string, string>, number, string[]][] = [
    [
      'a lag that grows wakes somebody, however many readers tell of it',
      {
        'herald_lag_records{topic="mention-events",partition="0",instance="a"}': '0+1000x40',
        'herald_lag_records{topic="mention-events",partition="0",instance="b"}': '0+1000x40',
        'herald_seconds_since_progress{instance="a"}': '1x40',
      },
      30,
      ['HeraldLagGrowing'],
    ],
    [
      'a wave that is being worked off wakes nobody',
      {
        'herald_lag_records{topic="mention-events",partition="0"}': '500000-10000x40',
        herald_seconds_since_progress: '1x40',
      },
      30,
      [],
    ],
    [
      'no progress with work there wakes somebody',
      { 'herald_lag_records{topic="t",partition="0"}': '5x40', herald_seconds_since_progress: '0+60x40' },
      15,
      ['HeraldNoProgress'],
    ],
    [
      'no progress without work wakes nobody',
      { 'herald_lag_records{topic="t",partition="0"}': '0x40', herald_seconds_since_progress: '0+60x40' },
      15,
      [],
    ],
    [
      'a dead letter wakes somebody',
      { 'herald_dead_letters_total{code="not_json"}': '0 0 0 0 0 1x40' },
      8,
      ['HeraldDeadLetters'],
    ],
    [
      'one error in fifty answers wakes somebody',
      {
        'http_request_duration_seconds_count{job="herald-query",status="200"}': '0+49x40',
        'http_request_duration_seconds_count{job="herald-query",status="503"}': '0+1x40',
      },
      15,
      ['HeraldErrorRate'],
    ],
    [
      'slow answers wake somebody, long exports do not',
      {
        'http_request_duration_seconds_bucket{job="herald-query",route="/",le="1"}': '0+90x40',
        'http_request_duration_seconds_bucket{job="herald-query",route="/",le="2.5"}': '0+100x40',
        'http_request_duration_seconds_bucket{job="herald-query",route="/",le="+Inf"}': '0+100x40',
        'http_request_duration_seconds_bucket{job="other",route="/change-entries/all",le="1"}': '0x40',
        'http_request_duration_seconds_bucket{job="other",route="/change-entries/all",le="+Inf"}': '0+100x40',
      },
      25,
      ['HeraldSlow'],
    ],
    [
      'a missing index wakes somebody, a MongoDB that is away does by another name',
      {
        'herald_readiness_check{job="herald-query",check="mongodb",answer="failing"}': '1x40',
        'herald_readiness_check{job="herald-ingest",check="mongodb",answer="unanswered"}': '1x40',
      },
      10,
      ['HeraldDependencyAway', 'HeraldIndexMissing'],
    ],
    [
      'a change stream that is behind wakes somebody',
      { 'herald_change_stream_behind_seconds{instance="a"}': '0+30x40' },
      15,
      ['HeraldChangeStreamBehind'],
    ],
  ]

  rule.each(cases)('%s', async (_, series, minutes, expected) => {
    const up = { 'up{job="herald-ingest"}': '1x60', 'up{job="herald-query"}': '1x60' }
    const input = Object.entries({ ...up, ...series }).map(([name, values]) => ({ series: name, values }))
    const found: string[] = []
    for (const { alert } of rules) {
      const file = join(folder, `${alert}.yaml`)
      const wanted = { eval_time: `${minutes}m`, alertname: alert, exp_alerts: [] }
      const tests = [{ interval: '1m', input_series: input, alert_rule_test: [wanted] }]
      writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }))
      // It is a failure that an alert is there which was not expected.
      const isSilent = await run('promtool', ['test', 'rules', file]).then(
        () => true,
        (error) => {
          if (!/got:\[\s*0:/.test(String(error.stderr).replaceAll('\n', ' '))) throw error
          return false
        },
      )
      if (!isSilent) found.push(alert)
    }
    expect(found.sort()).toEqual(expected)
  })
})
