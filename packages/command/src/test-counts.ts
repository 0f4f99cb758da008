import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { runInWorkspace, workspaceRoot } from './workspace.ts'

type Counts = {
  passed: number
  failed: number
  skipped: number
}

export type PackageCounts = Counts & {
  perPackage: Map<string, Counts>
  /** Packages that have tests but reported no counts. */
  silent: string[]
}

/** Returns the folders of the packages with tests that `turbo run test` runs with these arguments. */
export async function packagesWithTests(turboArgs: readonly string[]): Promise<string[]> {
  const { ok, output } = await runInWorkspace('turbo', ['run', 'test', '--dry-run=json', ...turboArgs])
  if (!ok) throw new Error(`turbo could not list the tests:\n${output}`)
  const { tasks } = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as {
    tasks: { task: string; directory: string; command: string }[]
  }
  const folders = tasks
    .filter(({ task, command }) => task === 'test' && command !== '<NONEXISTENT>')
    .map(({ directory }) => directory)
  const found = await Promise.all(folders.map(hasTests))
  return folders.filter((_, index) => found[index])
}

/** Reads the counts that the packages have written. */
export async function readCounts(countsFolder: string, folders: readonly string[]): Promise<PackageCounts> {
  const perPackage = new Map<string, Counts>()
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const file of await readdir(countsFolder)) {
    const counts = JSON.parse(await readFile(join(countsFolder, file), 'utf8')) as Counts
    perPackage.set(basename(file, '.json'), counts)
    total.passed += counts.passed
    total.failed += counts.failed
    total.skipped += counts.skipped
  }
  return { ...total, perPackage, silent: folders.filter((folder) => !perPackage.has(basename(folder))) }
}

/** Formats the summary. Its last line is machine-readable; each failure besides those of tests counts as one. */
export function summary({ perPackage, passed, failed, skipped }: PackageCounts, failures: readonly string[]): string {
  return [
    '',
    ...[...perPackage].map(([name, counts]) => `${name}: ${line(counts)}`),
    ...failures,
    line({ passed, failed: failed + failures.length, skipped }),
  ].join('\n')
}

function line({ passed, failed, skipped }: Counts) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

async function hasTests(folder: string) {
  const files = await readdir(join(workspaceRoot, folder, 'src'), { recursive: true }).catch(() => [])
  return files.some((file) => file.endsWith('.test.ts'))
}
