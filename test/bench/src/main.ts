import { resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startServers } from '@herald/test-servers'
import { MongoClient } from 'mongodb'
import { resultOf } from './figure.ts'
import type { Part } from './part.ts'
import { bulk } from './parts/bulk.ts'
import { growth } from './parts/growth.ts'
import { ingest } from './parts/ingest.ts'
import { latency } from './parts/latency.ts'
import { query } from './parts/query.ts'
import { start } from './parts/start.ts'
import { untilQuiet } from './quiet-machine.ts'
import { resultTable } from './report.ts'
import { type PartResults, partResults, saveResults } from './saved-results.ts'

const parts: readonly Part[] = [ingest, query, growth, bulk, latency, start]
// npm runs this in the package's folder; the path is relative to the folder in which npm was called.
const folderOf = (path: string) => resolve(process.env.INIT_CWD ?? '.', path)
const allNames = parts.map(({ name }) => name)

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
const unknown = positionals.filter((name) => !allNames.includes(name))
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `Unknown part: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(unknown.length > 0 ? 1 : 0)
}

const { smoke } = values
const rounds = smoke ? 1 : Number(values.rounds)
const log = (line: string) => console.error(line)
const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const servers = await startServers({ log })
const client = new MongoClient(servers.mongodbUri)
const results: Record<string, PartResults> = {}
try {
  for (const part of chosen) {
    log(`\n${part.name}: ${part.about}`)
    if (!smoke) await untilQuiet(log)
    const figures = (await part.run({ servers, client, rounds, smoke, log })).map(resultOf)
    results[part.name] = partResults(figures, rounds)
    if (values.out !== undefined) await saveResults(folderOf(values.out), allNames, results)
  }
} finally {
  await client.close()
  await servers.stop()
}

console.log(`\n${resultTable(Object.values(results).flatMap(({ figures }) => figures))}`)
if (smoke) console.log(`\nSmoke run: the figures are meaningless.\n${chosen.length} passed, 0 failed, 0 skipped`)
