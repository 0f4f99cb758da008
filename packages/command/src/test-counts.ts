import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { runInWorkspace, workspaceRoot } from './workspace.ts'

/** A part of a package's tests: those without servers, which turbo caches, or those with Kafka and MongoDB. */
export type Part = {
  folder: string
  task: 'test:pure' | 'test:servers'
}

type Counts = {
  passed: number
  failed: number
  skipped: number
}

type PartCounts = Counts & {
  name: string
  seconds: number
  /** Whether the counts are those of an earlier run, because nothing has changed since. */
  isCached: boolean
}

export type AllCounts = Counts & {
  parts: PartCounts[]
  /** Parts that reported no counts. */
  silent: string[]
}

/** Returns the parts that turbo runs for these tasks with these arguments. */
export async function partsOf(tasks: readonly Part['task'][], turboArgs: readonly string[]): Promise<Part[]> {
  const { ok, output } = await runInWorkspace('turbo', ['run', ...tasks, '--dry-run=json', ...turboArgs])
  if (!ok) throw new Error(`turbo could not list the tests:\n${output}`)
  const listed = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as {
    tasks: { task: string; directory: string; command: string }[]
  }
  return listed.tasks.flatMap(({ task: name, directory, command }) => {
    const task = tasks.find((known) => known === name)
    return task && command !== '<NONEXISTENT>' ? [{ folder: join(workspaceRoot, directory), task }] : []
  })
}

/** Reads the counts that the parts have written in this run, or in the one whose results turbo has restored. */
export async function readCounts(run: string, parts: readonly Part[]): Promise<AllCounts> {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const read: PartCounts[] = []
  const silent: string[] = []
  for (const { folder, task } of parts) {
    const name = `${basename(folder)} ${task}`
    const text = await readFile(join(folder, '.turbo', `${task.replace(':', '-')}.json`), 'utf8').catch(() => undefined)
    const counts = text === undefined ? undefined : JSON.parse(text)
    const isCached = counts?.run !== run
    // Only turbo can bring the counts of an earlier run, and it caches no tests with servers.
    if (!counts || (isCached && task === 'test:servers')) silent.push(name)
    else {
      read.push({ ...counts, name, isCached })
      total.passed += counts.passed
      total.failed += counts.failed
      total.skipped += counts.skipped
    }
  }
  return { ...total, parts: read, silent }
}

/** Formats the summary. Its last line is machine-readable; each failure besides those of tests counts as one. */
export function summary({ parts, passed, failed, skipped }: AllCounts, failures: readonly string[]): string {
  const cached = parts.filter(({ isCached }) => isCached).map(({ name }) => name)
  return [
    '',
    ...parts.filter(({ isCached }) => !isCached).map((part) => `${part.name}: ${line(part)} in ${part.seconds} s`),
    ...(cached.length === 0 ? [] : [`Unchanged since they passed, not run again: ${cached.join(', ')}.`]),
    ...failures,
    line({ passed, failed: failed + failures.length, skipped }),
  ].join('\n')
}

function line({ passed, failed, skipped }: Counts) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
