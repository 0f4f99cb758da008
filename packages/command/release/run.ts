import { type ExecFileException, execFile } from 'node:child_process'

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs a program to its end; never rejects, whatever its exit code. */
export function run(
  command: string,
  args: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Ran> {
  return new Promise((resolve) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
      resolve({ code: error ? Number(error.code ?? 1) || 1 : 0, stdout, stderr })
    execFile(command, args, { cwd: folder, env: environment, maxBuffer: 64 * 1024 * 1024 }, done)
  })
}

/** Runs a program and returns its stdout. Throws an error with its output if it fails. */
export async function succeed(...call: Parameters<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await run(...call)
  const [command, args] = call
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with exit code ${code}\n${stdout}\n${stderr}`)
  return stdout
}
