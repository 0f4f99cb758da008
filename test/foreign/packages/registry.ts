import { outside, workspaceFolder } from './packed.ts'
import { run } from './run.ts'

export type Registry = { kind: 'answers' } | { kind: 'unreachable'; reason: string } | { kind: 'fails'; reason: string }

/** Error codes of npm for an unreachable registry; all others are failures. */
const unreachable = ['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTCACHED', 'ENOTFOUND']

/** Checks npm's registry, with npm's own settings, by requesting a dependency of the workspace. */
export async function askRegistry(environment: NodeJS.ProcessEnv = outside()): Promise<Registry> {
  const { code, stderr } = await run('npm', ['view', 'zod', 'version', '--prefer-online', '--loglevel=error'], {
    folder: workspaceFolder,
    environment,
  })
  if (code === 0) return { kind: 'answers' }
  const errors = stderr.split('\n').filter((line) => line.startsWith('npm error'))
  const reason = errors.slice(0, 3).join('; ')
  return { kind: unreachable.some((name) => reason.includes(`code ${name}`)) ? 'unreachable' : 'fails', reason }
}
