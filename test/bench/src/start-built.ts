import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ServiceName, serviceFile, startService } from '@herald/local-herald'

/** Starts a built service of this checkout, or of another one with the options of Node.js that its image has. */
export async function startBuilt(
  service: Exclude<ServiceName, 'seal'>,
  settings: NodeJS.ProcessEnv,
  checkout?: string,
) {
  if (checkout === undefined) return startService(service, settings)
  const nodeOptions = optionsInImage(await readFile(join(checkout, 'deploy/Dockerfile'), 'utf8'), service)
  return startService(service, settings, { file: serviceFile(service, 'main', checkout), nodeOptions })
}

/** @throws Error if no image of the Dockerfile starts the service */
export function optionsInImage(dockerfile: string, service: Exclude<ServiceName, 'seal'>): string[] {
  for (const [, command = ''] of dockerfile.matchAll(/^CMD (\[.*\])$/gm)) {
    const [, ...options] = JSON.parse(command) as string[]
    if (options.pop() === `services/${service}/dist/main.js`) return options
  }
  throw new Error(`The Dockerfile has no image of ${service}`)
}
