import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort, type StartedProgram, startProgram } from '@herald/test-servers'

/** The processes of Herald: both services, and the sequencer, which is part of query. */
export type ServiceName = 'ingest' | 'query' | 'seal'

export type StartedService = StartedProgram & {
  url: string
  adminUrl: string
}

/**
 * Node.js arguments as in the images. V8's young generation would grow to 192 MiB under load, which helps neither service.
 * Objects of a request are garbage once its response is sent and need a small young generation; chunks of records outlive it.
 *
 * Chunks fill ingest's old generation. When V8 collects it depends on the memory of the machine: starting at 128 MiB costs
 * little time, and 320 MiB leaves room for buffers in a container of 512 MiB.
 */
export const nodeArguments = {
  ingest: ['--max-semi-space-size=8', '--initial-old-space-size=128', '--max-old-space-size=320'],
  query: ['--max-semi-space-size=8'],
  seal: ['--max-semi-space-size=8'],
} as const satisfies Record<ServiceName, readonly string[]>

const ownCheckout = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns the path of a built entry point of a service, of this checkout or of another. */
export function serviceFile(
  service: Exclude<ServiceName, 'seal'>,
  file: 'main' | 'migrate' | 'seal' | 'verify',
  checkout = ownCheckout,
): string {
  return join(checkout, 'services', service, 'dist', `${file}.js`)
}

const mainFile = (name: ServiceName) => (name === 'seal' ? serviceFile('query', 'seal') : serviceFile(name, 'main'))

type StartOptions = { file?: string; node?: string; nodeOptions?: readonly string[]; words?: readonly string[] }

/** Runs a service on free ports with the given settings and waits until it is ready. */
export async function startService(
  service: ServiceName,
  settings: NodeJS.ProcessEnv,
  /** An entry point of another build, its options of Node.js, another Node.js, arguments of the program. */
  {
    file = mainFile(service),
    node = process.execPath,
    nodeOptions = nodeArguments[service],
    words = [],
  }: StartOptions = {},
): Promise<StartedService> {
  const host = '127.0.0.1'
  const port = await findFreePort()
  const adminPort = await findFreePort()
  const adminUrl = `http://${host}:${adminPort}`
  const program = await startProgram({
    name: service,
    command: node,
    args: [...nodeOptions, file, ...words],
    environment: { ...settings, HOST: host, PORT: String(port), ADMIN_PORT: String(adminPort) },
    ready: { url: `${adminUrl}/readyz` },
    stopSignal: 'SIGTERM',
  })
  return Object.assign(program, { url: `http://${host}:${port}`, adminUrl })
}
