import { readdirSync, readFileSync } from 'node:fs'
import { root } from './docker.ts'

const folder = `${root}deploy/kustomize/components/grafana-dashboard/`

type Target = { readonly expr: string; readonly legendFormat?: string }
type Panel = { readonly type: string; readonly title: string; readonly targets?: readonly Target[] }

/** The queries of all dashboards by the title of their panel, as Grafana sends them for a range of minutes. */
export function readQueries(): { title: string; query: string; labels: string[] }[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const panels = files.flatMap((file) => JSON.parse(readFileSync(`${folder}${file}`, 'utf8')).panels as Panel[])
  return panels
    .filter(({ type }) => type !== 'row')
    .flatMap(({ title, targets = [] }) => {
      if (targets.length === 0) throw new Error(`The panel ${title} has no query`)
      return targets.map(({ expr, legendFormat = '' }) => ({
        title,
        query: expr.replaceAll('$__rate_interval', '1m'),
        labels: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
      }))
    })
}

export type Drawn = { readonly labels: Readonly<Record<string, string>>; readonly numbers: readonly number[] }

/** Runs a query over the time since `start` and returns the series that a panel draws: those with a finite number. */
export async function draw(prometheusUrl: string, query: string, start: Date): Promise<Drawn[]> {
  const seconds = (time: number) => String(time / 1_000)
  const range = { query, start: seconds(start.getTime()), end: seconds(Date.now()), step: '5s' }
  const answer = await fetch(`${prometheusUrl}/api/v1/query_range?${new URLSearchParams(range)}`)
  if (!answer.ok) throw new Error(`${query}: ${answer.status} ${await answer.text()}`)
  const { data } = (await answer.json()) as {
    data: { result: { metric: Record<string, string>; values: [number, string][] }[] }
  }
  const series = data.result.map(({ metric, values }) => ({
    labels: metric,
    numbers: values.map(([, value]) => Number(value)).filter(Number.isFinite),
  }))
  return series.filter(({ numbers }) => numbers.length > 0)
}
