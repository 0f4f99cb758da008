import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { nodeArguments } from '@herald/local-herald'
import { startProgram } from '@herald/test-servers'

export type StartedCeiling = { readonly url: string; readonly pid: number; stop(): Promise<void> }

const file = fileURLToPath(new URL('../ceilings/query.ts', import.meta.url))
const listening = /listening at (http:\S+)/

/** Starts `ceilings/query.ts` in one of its modes, with the options of the query service, and waits until it listens. */
export async function startCeiling(mode: string, mongodbUri: string, database: string): Promise<StartedCeiling> {
  const program = await startProgram({
    name: `ceiling ${mode}`,
    command: process.execPath,
    args: [...nodeArguments.query, file],
    environment: { ...process.env, MODE: mode, MONGODB_URI: mongodbUri, MONGODB_DATABASE: database },
    ready: { line: listening },
  })
  const [, url = ''] = listening.exec(program.logs().join('\n')) ?? []
  return { url, pid: program.pid, stop: program.stop }
}
