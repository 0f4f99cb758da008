import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Composition } from './composition.ts'
import { draw, readQueries } from './dashboard.ts'
import { eventually } from './eventually.ts'
import { startLoad } from './load.ts'

/** These are 0 as long as everything is well. */
const calm =
  /lag_records|partition_seconds_since|chunk_retries|status=~"5|readiness_check|erasures_open|behind_seconds|announcements_(due|oldest|skipped)|log_(conflict|seal_lag|foreign_notes)/
/** Compose has no witnesses. */
const unset = /log_witness/

/** Tests of the profile `observability`, whose services are running. */
export function describeDashboards(composition: () => Composition) {
  describe('Prometheus of the profile, under load', () => {
    let start: Date
    let load: Awaited<ReturnType<typeof startLoad>>
    const drawn = (query: string) => draw(composition().prometheusUrl, query, start)

    beforeAll(async () => {
      start = new Date()
      load = await startLoad(composition())
    })
    afterAll(() => load?.stop())

    test('scrapes all services', async () => {
      const healthy = eventually('all targets are up', async () => {
        const up = (await drawn('up == 1')).map(({ labels }) => labels.job)
        return up.length === 3 && up.sort()
      })
      expect(await healthy).toEqual(['herald-ingest', 'herald-query', 'herald-seal'])
    })

    test.each([
      [
        'herald_events_total{outcome="stored"}',
        'topic',
        ['change-events', 'mention-events', 'privacy-events', 'receipt-events'],
      ],
      ['herald_announcements_total', 'kind', ['created', 'retracted', 'unread']],
      ['herald_stream_events_total', 'event', expect.arrayContaining(['notification', 'read-state', 'unread-count'])],
      [
        'http_request_duration_seconds_count',
        'route',
        expect.arrayContaining([
          '/',
          '/change-entries/all',
          '/notifications/:notificationId/read',
          '/notifications/read',
        ]),
      ],
    ])('the load reaches %s by %s', async (metric, label, expected) => {
      await eventually(metric, async () => {
        const found = await drawn(`sum by (${label}) (${metric}) > 0`)
        expect(found.map(({ labels }) => labels[label]).sort()).toEqual(expected)
      })
    })

    test('every panel of the dashboards draws each of its queries', async () => {
      const queries = readQueries()
      expect(queries.length).toBeGreaterThan(35)
      let count = 0
      await eventually('every query draws something', async () => {
        const failed: string[] = []
        count = 0
        for (const { title, query, labels } of queries) {
          const series = await drawn(query)
          const isDrawn =
            unset.test(query) || series.some(({ numbers }) => calm.test(query) || Math.max(...numbers) > 0)
          // The legend names labels that the series have.
          const hasLabels = series.every((one) => labels.every((label) => label in one.labels))
          if (!isDrawn || !hasLabels) failed.push(`${title}: ${query}`)
          count += series.length
        }
        expect(failed).toEqual([])
      })
      console.log(`${queries.length} queries draw ${count} series`)
    })
  })
}
