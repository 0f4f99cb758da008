import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { RoleName, SetupOf } from './roles.ts'
import type { Schedule } from './schedule.ts'

export type Request = { readonly role: RoleName; readonly setup: SetupOf<RoleName> } | { readonly schedule: Schedule }

type Reply = { readonly value?: Float64Array; readonly error?: string }

/** A load in a process of its own, so that loads do not delay each other's clocks. */
export type Loader = {
  /** Milliseconds from the intended times; see the role. */
  run(schedule: Schedule): Promise<number[]>
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('worker.ts', import.meta.url))

/** Starts a loader and waits until it is connected. */
export async function startLoader<Name extends RoleName>(role: Name, setup: SetupOf<Name>): Promise<Loader> {
  const child = fork(program, { serialization: 'advanced', execArgv: ['--disable-warning=TimeoutNegativeWarning'] })
  const exited = once(child, 'exit')

  async function ask(request: Request): Promise<Float64Array> {
    const reply = once(child, 'message') as Promise<[Reply]>
    child.send(request)
    const ended = exited.then(() => {
      throw new Error(`The loader ${role} has ended`)
    })
    const [{ value, error }] = await Promise.race([reply, ended])
    if (error !== undefined) throw new Error(`The loader ${role} failed: ${error}`)
    return value ?? new Float64Array()
  }

  async function stop(): Promise<void> {
    if (child.connected) child.disconnect()
    await exited
  }

  try {
    await ask({ role, setup })
  } catch (error) {
    await stop()
    throw error
  }
  return { run: async (schedule) => Array.from(await ask({ schedule })), stop }
}
