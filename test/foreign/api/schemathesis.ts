import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PythonPackages } from '@herald/test-servers'
import type { FilledHerald } from './filled-herald.ts'
import type { Report } from './report.ts'

const configuration = fileURLToPath(new URL('../schemathesis.toml', import.meta.url))

/**
 * Runs Schemathesis with the document that the gateway serves and prints its output.
 *
 * @param args further arguments of `schemathesis run`
 */
export async function runSchemathesis(
  { python, folder }: PythonPackages,
  { baseUrl, identities }: FilledHerald,
  args: readonly string[],
): Promise<Report> {
  const temporary = await mkdtemp(join(tmpdir(), 'herald-api-fuzz-'))
  try {
    const [identitiesFile, reportFile] = [join(temporary, 'identities.json'), join(temporary, 'report.json')]
    await writeFile(identitiesFile, JSON.stringify(toWebFuzzingCommons(identities)))
    const run = [
      'run',
      `${baseUrl}/openapi.json`,
      '--checks',
      'all',
      '--report',
      'json',
      '--report-json-path',
      reportFile,
    ]
    const command = ['-m', 'schemathesis.cli', '--no-color', '--config-file', configuration, ...run, ...args]
    const child = spawn(python, command, {
      cwd: temporary,
      env: { ...process.env, PYTHONPATH: folder, HERALD_IDENTITIES: identitiesFile },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const stop = () => child.kill()
    process.once('exit', stop)
    const [code] = await once(child, 'close')
    process.off('exit', stop)
    return { ...JSON.parse(await readFile(reportFile, 'utf8')), exit_code: code }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Converts tokens to the authentication format of Web Fuzzing Commons. */
function toWebFuzzingCommons(identities: FilledHerald['identities']) {
  return {
    auth: Object.entries(identities).map(([name, token]) => ({
      name,
      fixedHeaders: [{ name: 'Authorization', value: `Bearer ${token}` }],
    })),
  }
}
