import { spawn } from 'node:child_process'
import { pathWithoutWorkspace } from './environment.ts'

type Started = {
  readonly workdir: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** Starts a program with these settings only, and returns its output: up to the first line, with which it is killed. */
export const firstMessage = (started: Started) => outputOf(started, (output) => output.includes('\n'))

/** The whole output of a program that ends by itself. */
export const wholeOutput = (started: Started) => outputOf(started, () => false)

function outputOf(
  { workdir, command: [file = '', ...args], environment }: Started,
  isEnough: (output: string) => boolean,
): Promise<string> {
  const env = { ...environment, PATH: pathWithoutWorkspace() }
  const child = spawn(file, args, { cwd: workdir, env, stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (text: string) => {
      output += text
      if (isEnough(output)) child.kill('SIGKILL')
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}
