import { fileURLToPath } from 'node:url'
import { findFreePort } from './free-port.ts'
import { type StartedProgram, startProgram } from './program.ts'

export type ServiceName = 'ingest' | 'query'

export interface StartedService extends StartedProgram {
  url: string
  adminUrl: string
}

/**
 * How the images run them. V8's young generation would grow to 192 MiB when there is much to do: more than either gains by.
 * What a request makes is dead when it is answered, and needs a little room to die in; a chunk of records lives on anyway.
 *
 * Chunks fill ingest's old generation, which V8 collects at once when the machine is small and late when it is large: from
 * 128 MiB on costs little time, and 320 MiB leave room for the buffers in a container of 512.
 */
export const nodeArguments = {
  ingest: ['--max-semi-space-size=8', '--initial-old-space-size=128', '--max-old-space-size=320'],
  query: ['--max-semi-space-size=16'],
} as const satisfies Record<ServiceName, readonly string[]>

/** Where the built entry points of a service are. */
export function serviceFile(service: ServiceName, file: 'main' | 'migrate'): string {
  return fileURLToPath(new URL(`../../../services/${service}/dist/${file}.js`, import.meta.url))
}

/** Runs a service on ports that are free, with the settings given, and waits until it is ready. */
export async function startService(
  service: ServiceName,
  settings: NodeJS.ProcessEnv,
  /** Another build's entry point, another Node.js. */
  { file = serviceFile(service, 'main'), node = process.execPath }: { file?: string; node?: string } = {},
): Promise<StartedService> {
  const host = '127.0.0.1'
  const port = await findFreePort()
  const adminPort = await findFreePort()
  const adminUrl = `http://${host}:${adminPort}`
  const program = await startProgram({
    name: service,
    command: node,
    args: [...nodeArguments[service], file],
    environment: { ...settings, HOST: host, PORT: String(port), ADMIN_PORT: String(adminPort) },
    ready: { url: `${adminUrl}/readyz` },
    stopSignal: 'SIGTERM',
  })
  return Object.assign(program, { url: `http://${host}:${port}`, adminUrl })
}
