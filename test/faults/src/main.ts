import { writeFileSync } from 'node:fs'
import { readCommandLine, usage } from './command-line.ts'
import { groups, parts, selectParts } from './parts.ts'
import { countsOf, type Row, tableOf } from './report.ts'
import { emptyRow } from './run-part.ts'
import { runParts } from './run-parts.ts'
import { prepareOtherRelease } from './stack/other-release.ts'
import { findNeeds } from './what-it-needs.ts'

// Runs the parts of the fault suite that the command line names, or all of them.
const startedAt = Date.now()
const log = (line: string) => {
  const seconds = String(Math.round((Date.now() - startedAt) / 1_000)).padStart(5)
  console.log(`${seconds} s  ${line}`)
}

async function main(): Promise<number> {
  const { isShort, isHelp, json, names } = readCommandLine(process.argv.slice(2), process.env.INIT_CWD)
  const { selected, unknown } = selectParts(names, isShort)
  if (isHelp || unknown.length > 0) {
    if (unknown.length > 0) console.error(`Unknown part: ${unknown.join(', ')}\n`)
    const known = [...parts.map(({ name }) => name), ...Object.keys(groups)]
    console.log(`${usage}\n\nParts: ${known.join(', ')}`)
    return unknown.length > 0 ? 2 : 0
  }
  const rows: Row[] = []
  const save = () => {
    if (json)
      writeFileSync(json, `${JSON.stringify({ isShort, startedAt: new Date(startedAt), rows }, undefined, 2)}\n`)
  }
  const onRow = (row: Row) => {
    rows.push(row)
    const order = ({ part }: Row) => selected.findIndex(({ name }) => name === part)
    rows.sort((a, b) => order(a) - order(b))
    save()
  }
  try {
    const needs = await findNeeds(log)
    if (needs.kind === 'found') {
      if (selected.some(({ name }) => name === 'rolling')) await prepareOtherRelease(log)
      await runParts(selected, { isShort, log, python: needs.python, onRow })
    } else {
      log(`The suite cannot run on this machine: ${needs.reason}`)
      for (const part of selected) onRow({ ...emptyRow(part), verdict: 'skipped', reason: needs.reason })
    }
  } catch (error) {
    console.error(error)
  }
  save()
  console.log(`\n${tableOf(rows)}\n`)
  for (const { summary } of rows) if (summary) console.log(`${summary}\n`)
  for (const { part, verdict, reason, violations } of rows) {
    if (verdict === 'skipped') console.log(`SKIPPED test/faults/${part}: ${reason}`)
    const prefix = verdict === 'failed' ? 'FAILED ' : ''
    for (const violation of violations) console.log(`${prefix}${part}: ${violation}`)
    if (verdict === 'failed' && violations.length === 0) console.log(`FAILED ${part}`)
  }
  console.log(countsOf(rows, selected.length))
  return rows.length === selected.length && rows.every(({ verdict }) => verdict !== 'failed') ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

process.exit(
  await main().catch((error) => {
    console.error(error)
    return 1
  }),
)
