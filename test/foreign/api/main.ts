import { fileURLToPath } from 'node:url'
import { fetchPythonPackages, whyNoPip } from '@herald/test-servers'
import { startFilledHerald } from './filled-herald.ts'
import { countsOf, describeReport } from './report.ts'
import { runSchemathesis } from './schemathesis.ts'

const requirements = fileURLToPath(new URL('../requirements-api.txt', import.meta.url))
const log = (line: string) => console.log(line)

async function main() {
  const missing = whyNoPip(process.env)
  if (missing) {
    log(`SKIPPED test/foreign/api: Schemathesis requires python3 with pip, and ${missing}.`)
    return { passed: 0, failed: 0, skipped: 1 }
  }
  const packages = await fetchPythonPackages('schemathesis', requirements, { log })
  const herald = await startFilledHerald(log)
  try {
    const report = await runSchemathesis(packages, herald, process.argv.slice(2))
    log(describeReport(report))
    return countsOf(report)
  } finally {
    await herald.stop()
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const counts = await main().catch((error) => {
  console.error(error)
  return { passed: 0, failed: 1, skipped: 0 }
})
log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exit(counts.failed > 0 ? 1 : 0)
