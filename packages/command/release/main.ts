import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { release } from './release.ts'

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
const root = fileURLToPath(new URL('../../../', import.meta.url))
const ok = await release({ root, dryRun: values['dry-run'], log: (line) => process.stdout.write(`${line}\n`) })
if (!ok) process.exitCode = 1
