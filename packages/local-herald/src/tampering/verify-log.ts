import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceFile } from '../service.ts'
import type { SealedLog } from './read-sealed-log.ts'

/** The result of `verify.js`. */
export type Verified = {
  readonly exitCode: number
  /** The lines of its output. */
  readonly findings: readonly string[]
  /** The last line for a person, such as `Result: whole`. */
  readonly result: string
}

const limitMs = 60_000

/** Runs `verify.js` on an export, with files of its own. */
export async function verifyLog({ checkpoint, keys, exported }: SealedLog, node: string): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-verify-'))
  try {
    const [exportFile, checkpointFile] = [join(folder, 'export.ndjson'), join(folder, 'checkpoint')]
    await writeFile(exportFile, exported)
    await writeFile(checkpointFile, checkpoint)
    const files = ['--export', exportFile, '--checkpoint', checkpointFile]
    const { exitCode, stdout, stderr } = await run(node, [
      serviceFile('query', 'verify'),
      ...files,
      ...keys.flatMap((key) => ['--key', key]),
    ])
    return { exitCode, findings: linesOf(stdout), result: linesOf(stderr).at(-1) ?? '' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

function run(command: string, args: readonly string[]) {
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve, reject) => {
    execFile(command, [...args], { timeout: limitMs, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error ? error.code : 0
      if (typeof code === 'number') resolve({ exitCode: code, stdout, stderr })
      else reject(error)
    })
  })
}
