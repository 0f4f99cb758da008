import { runTarget } from './run-target.ts'
import { readTarget } from './settings.ts'

/** Loads the target of a settings file, prints what was found as JSON, and returns the exit code. */
export async function printTarget(file: string): Promise<number> {
  const found = await runTarget(await readTarget(file), console.error)
  console.log(JSON.stringify(found, null, 2))
  const { feeds, errors } = found
  const failures = [feeds.lost, feeds.doubled, ...Object.values(errors)]
  return failures.some((count) => count > 0) ? 1 : 0
}
