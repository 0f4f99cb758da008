import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findProgram } from './chromium.ts'

/** Returns the path of Firefox: `FIREFOX_PATH`, or the first on the PATH. */
export const findFirefox = (environment = process.env): string | undefined =>
  environment.FIREFOX_PATH || findProgram(['firefox', 'firefox-esr'], environment)

type Answer = { readonly id?: number; readonly type: string; readonly result?: unknown; readonly message?: string }
type Evaluated = {
  readonly result?: { readonly value?: string }
  readonly exceptionDetails?: { readonly text: string }
}

/** Starts Firefox as it is installed. Its WebDriver BiDi is spoken directly, because Playwright drives only builds of its own. */
export async function startFirefox(executablePath: string) {
  const profile = await mkdtemp(join(tmpdir(), 'herald-firefox-'))
  const args = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile]
  const child = spawn(executablePath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  let address: string | undefined
  for await (const line of createInterface(child.stderr)) {
    address = /WebDriver BiDi listening on (\S+)/.exec(line)?.[1]
    if (address !== undefined) break
  }
  child.stderr.resume()
  if (address === undefined) throw new Error('Firefox ended before it listened.')
  const socket = new WebSocket(`${address}/session`)
  await once(socket, 'open')
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(data) as Answer
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  }

  async function send<Result>(method: string, params: object): Promise<Result> {
    const id = waiting.size
    const { type, result, message } = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
    if (type !== 'success') throw new Error(`${method}: ${message}`)
    return result as Result
  }

  await send('session.new', { capabilities: {} })
  return {
    /** Opens a tab, which shares its storage and locks with the others. */
    async open(url: string) {
      const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab' })
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
      return {
        /** Evaluates an expression in the page. Its value, or what it resolves to, must be JSON. */
        async evaluate<Value>(expression: string): Promise<Value> {
          const params = { expression: `(async () => JSON.stringify(await (${expression})))()`, awaitPromise: true }
          const answer = await send<Evaluated>('script.evaluate', { ...params, target: { context } })
          if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
          return JSON.parse(answer.result?.value ?? 'null')
        },
        close: () => send('browsingContext.close', { context }),
      }
    },
    async stop(): Promise<void> {
      socket.close()
      child.kill('SIGKILL')
      await exited
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
