import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Finished = { readonly exitCode: number; readonly stdout: string; readonly stderr: string }

/** Runs the built command in a process, as an operator does. */
export function runHerald(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<Finished> {
  const file = fileURLToPath(new URL('../../dist/herald.js', import.meta.url))
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [file, ...words],
      { env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) => {
        resolve({ exitCode: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
      },
    )
  })
}
