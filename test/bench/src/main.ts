import { resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startServers } from '@herald/test-servers'
import { MongoClient } from 'mongodb'
import { serverProcesses } from './cpu-time.ts'
import type { Part } from './part.ts'
import { against } from './parts/against.ts'
import { backlog } from './parts/backlog.ts'
import { bulk } from './parts/bulk.ts'
import { captured } from './parts/captured.ts'
import { cost } from './parts/cost.ts'
import { feeds } from './parts/feeds.ts'
import { growth } from './parts/growth.ts'
import { ingest } from './parts/ingest.ts'
import { knee } from './parts/knee.ts'
import { latency } from './parts/latency.ts'
import { lone } from './parts/lone.ts'
import { mixed } from './parts/mixed.ts'
import { query } from './parts/query.ts'
import { realistic } from './parts/realistic.ts'
import { rebuild } from './parts/rebuild.ts'
import { replicated } from './parts/replicated.ts'
import { scale } from './parts/scale.ts'
import { sealing } from './parts/sealing.ts'
import { smallCache } from './parts/small-cache.ts'
import { start } from './parts/start.ts'
import { streams } from './parts/streams.ts'
import { sustained } from './parts/sustained.ts'
import { resultTable } from './reporting/result-table.ts'
import {
  noResults,
  partResults,
  readResults,
  type SavedResults,
  saveResults,
  withPart,
} from './reporting/saved-results.ts'
import { currentSetup, modifiedFiles } from './reporting/setup.ts'
import { runPart } from './run-part.ts'
import { printTarget } from './target/print-target.ts'

const parts: readonly Part[] = [
  ...[ingest, captured, realistic, cost, smallCache],
  ...[query, growth, bulk, sealing, streams, feeds, start],
  ...[latency, lone, knee, sustained, backlog, mixed],
  ...[scale, replicated, rebuild],
]
// npm runs this in the package's folder; the path is relative to the folder in which npm was called.
const pathOf = (path: string) => resolve(process.env.INIT_CWD ?? '.', path)
const allNames = parts.map(({ name }) => name)

const usage = `npm run bench -- [PART…] [--rounds N] [--smoke] [--out FOLDER]
npm run bench -- [PART…] --against CHECKOUT   compares the services with those of another checkout, which must be built
npm run bench -- --target SETTINGS.json    load on an existing Herald; prints JSON

${parts.map(({ name, about }) => `  ${name.padEnd(16)} ${about}`).join('\n')}`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    out: { type: 'string' },
    against: { type: 'string' },
    target: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => ![...allNames, against.name].includes(name))
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `Unknown part: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(unknown.length > 0 ? 1 : 0)
}

if (values.target !== undefined) {
  process.exit(await printTarget(pathOf(values.target)))
}

const { smoke } = values
const objection = await objectionToSaving()
if (objection !== undefined) {
  console.error(objection)
  process.exit(1)
}
const roundsOf = (part: Part) => (smoke ? 1 : Number(values.rounds ?? part.rounds))
const log = (line: string) => console.error(line)
const other = values.against === undefined ? undefined : pathOf(values.against)
const isChosen = ({ name, isOnlyByName = false }: Part) =>
  positionals.length === 0 ? smoke || !isOnlyByName : positionals.includes(name)
const compared = [against, lone, sealing].filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const chosen = other === undefined ? parts.filter(isChosen) : compared
const servers = await startServers({ log })
const client = new MongoClient(servers.mongodbUri)
const processes = await serverProcesses(servers)
const setup = await currentSetup(client, processes)
// A comparison with another checkout is not a figure of this one.
const folder = values.out === undefined || other !== undefined ? undefined : pathOf(values.out)
let saved: SavedResults = folder === undefined ? noResults : await readResults(folder)
try {
  for (const part of chosen) {
    const rounds = roundsOf(part)
    const figures = await runPart(part, {
      servers,
      client,
      serverProcesses: processes,
      rounds,
      smoke,
      against: other,
      log,
    })
    const results = partResults(figures, rounds)
    saved = withPart(saved, setup, [...allNames, against.name], part.name, results)
    if (folder !== undefined) await saveResults(folder, saved)
  }
} finally {
  await client.close()
  await servers.stop()
}

const figures = Object.values(saved.parts).flatMap((part) => part.figures)
console.log(`\n${resultTable(figures, saved.history)}`)
if (smoke) console.log(`\nSmoke run: the figures are meaningless.\n${chosen.length} passed, 0 failed, 0 skipped`)

/** Why the results of this run may not be saved, if they shall be. */
async function objectionToSaving(): Promise<string | undefined> {
  if (values.out === undefined) return undefined
  if (smoke) return 'A smoke run measures nothing: --out and --smoke exclude each other'
  if (Number(values.rounds ?? 5) < 5) return 'Saved results have five rounds at least'
  const modified = await modifiedFiles()
  return modified.length > 0 ? `The results of modified files are not saved:\n${modified.join('\n')}` : undefined
}
