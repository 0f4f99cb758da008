import { outside, workspaceFolder } from './packed.ts'
import { run } from './run.ts'

export type Registry = { kind: 'answers' } | { kind: 'away'; why: string } | { kind: 'fails'; why: string }

/** The codes by which npm says that there is no way to a registry; every other one is an error to be looked at. */
const away = ['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTCACHED', 'ENOTFOUND']

/** Asks npm's registry for a package that the workspace has, with what npm would install it with. */
export async function askRegistry(environment: NodeJS.ProcessEnv = outside()): Promise<Registry> {
  const { code, stderr } = await run('npm', ['view', 'zod', 'version', '--prefer-online', '--loglevel=error'], {
    folder: workspaceFolder,
    environment,
  })
  if (code === 0) return { kind: 'answers' }
  const errors = stderr.split('\n').filter((line) => line.startsWith('npm error'))
  const why = errors.slice(0, 3).join('; ')
  return { kind: away.some((name) => why.includes(`code ${name}`)) ? 'away' : 'fails', why }
}
