import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startServers } from '@herald/local-stack'
import { MongoClient } from 'mongodb'
import { type Result, resultOf } from './figure.ts'
import type { Part } from './part.ts'
import { bulk } from './parts/bulk.ts'
import { growth } from './parts/growth.ts'
import { ingest } from './parts/ingest.ts'
import { latency } from './parts/latency.ts'
import { query } from './parts/query.ts'
import { start } from './parts/start.ts'
import { plot } from './plot.ts'
import { untilQuiet } from './quiet-machine.ts'
import { resultTable } from './report.ts'

const parts: readonly Part[] = [ingest, query, growth, bulk, latency, start]

const usage = `npm run bench -- [PART…] [--rounds N] [--smoke] [--out FOLDER]

${parts.map(({ name, about }) => `  ${name.padEnd(8)} ${about}`).join('\n')}`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    smoke: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !parts.some((part) => part.name === name))
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `There is no part ${unknown.join(', ')}.\n\n${usage}` : usage)
  process.exit(unknown.length > 0 ? 1 : 0)
}

const { smoke } = values
const rounds = smoke ? 1 : Number(values.rounds)
const log = (line: string) => console.error(line)
const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const servers = await startServers({ log })
const client = new MongoClient(servers.mongodbUri)
const results: Record<string, Result[]> = {}
try {
  for (const part of chosen) {
    log(`\n${part.name}: ${part.about}`)
    if (!smoke) await untilQuiet(log)
    results[part.name] = (await part.run({ servers, client, rounds, smoke, log })).map(resultOf)
  }
} finally {
  await client.close()
  await servers.stop()
}

const all = Object.values(results).flat()
console.log(`\n${resultTable(all)}`)
if (values.out !== undefined) {
  const machine = { cpus: cpus().length, model: cpus()[0]?.model ?? '', memoryBytes: totalmem(), node: process.version }
  await mkdir(values.out, { recursive: true })
  const report = { date: new Date().toISOString(), machine, rounds, results }
  await writeFile(`${values.out}/results.json`, `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(`${values.out}/results.svg`, plot(all))
  log(`\nWritten: ${values.out}/results.json and results.svg`)
}
if (smoke) console.log(`\nA smoke run, whose figures mean nothing.\n${chosen.length} passed, 0 failed, 0 skipped`)
