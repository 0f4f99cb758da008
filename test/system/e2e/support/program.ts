import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A program of the product, started outside of a Herald. */
export type Program = {
  /** Standard output and standard error so far. */
  output(): string
  ended: Promise<{ code: number | null; signal: string | null }>
  stop(): Promise<void>
}

/** Starts `node services/<path> <words>` with no environment variables but these and PATH. */
export function startProgram(
  path: string,
  environment: Record<string, string>,
  words: readonly string[] = [],
): Program {
  const file = fileURLToPath(new URL(`../../../../services/${path}`, import.meta.url))
  const child = spawn(process.execPath, [file, ...words], { env: { PATH: process.env.PATH, ...environment } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    output: () => output,
    ended,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
