import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const preload = new URL('./preloads/turn-watch.ts', import.meta.url).href

/** The longest turn of the event loop by processor time, and by the clock. */
export type LongestTurn = { readonly cpuMs: number; readonly wallMs: number }

/** Measures the turns of processes that are started with these settings. */
export type TurnWatch = {
  readonly settings: Readonly<Record<string, string>>
  longestSince(time: number, pids: readonly number[]): LongestTurn
  stop(): Promise<void>
}

export async function watchTurns(): Promise<TurnWatch> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-turns-'))
  const file = join(folder, 'turns.log')
  await writeFile(file, '')
  return {
    settings: { HERALD_TURNS_FILE: file, NODE_OPTIONS: `--no-warnings --import ${preload}` },
    longestSince(time, pids) {
      const longest = { cpuMs: 0, wallMs: 0 }
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        const [pid = 0, at = 0, cpuMs = 0, wallMs = 0] = line.split(' ').map(Number)
        if (at < time || !pids.includes(pid)) continue
        longest.cpuMs = Math.max(longest.cpuMs, Math.round(cpuMs))
        longest.wallMs = Math.max(longest.wallMs, Math.round(wallMs))
      }
      return longest
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}
