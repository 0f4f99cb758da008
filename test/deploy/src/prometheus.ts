import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, startProgram } from '@herald/test-servers'
import { parse, stringify } from 'yaml'
import { root } from './overlays.ts'

type Configuration = { global: object; scrape_configs: { job_name: string; static_configs: object[] }[] }

/** Starts Prometheus with the configuration of docker-compose.yml, but scrapes these services, and every second. */
export async function startPrometheus(adminUrls: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'herald-prometheus-'))
  const configuration = parse(await readFile(join(root, 'deploy/compose/prometheus.yml'), 'utf8')) as Configuration
  configuration.global = { scrape_interval: '1s' }
  for (const job of configuration.scrape_configs)
    job.static_configs = [{ targets: [new URL(adminUrls[job.job_name] ?? '').host] }]
  const file = join(folder, 'prometheus.yml')
  await writeFile(file, stringify(configuration))
  const url = `http://127.0.0.1:${await findFreePort()}`
  const program = await startProgram({
    name: 'Prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
    ],
    environment: { PATH: process.env.PATH },
    ready: { url: `${url}/-/ready` },
    folder,
  })
  return {
    stop: program.stop,
    /** The numbers of an instant query; an error of the query is thrown. */
    async query(expression: string): Promise<number[]> {
      const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`)
      const { status, error, data } = (await answer.json()) as {
        status: string
        error?: string
        data?: { result: { value: [number, string] }[] }
      }
      if (status !== 'success') throw new Error(`${expression}: ${error}`)
      return (data?.result ?? []).map(({ value }) => Number(value[1])).filter((number) => !Number.isNaN(number))
    },
  }
}
