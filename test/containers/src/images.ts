import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { docker, inspect, root } from './docker.ts'

type Service = { image: string; build?: object }

/** The images of docker-compose.yml by the names of its services. */
export function composeImages(): Map<string, Service> {
  const { services } = parse(readFileSync(`${root}docker-compose.yml`, 'utf8'), { merge: true })
  return new Map(Object.entries(services))
}

/**
 * Makes sure that an image of others is here: pulled, or else, where no registry can be reached, made from Debian's package
 * by a file in `stand-ins/` and given the same name. `undefined` when it can be had in neither way.
 */
export async function haveImage(service: string): Promise<'there' | 'stand-in' | undefined> {
  const { image } = composeImages().get(service) as Service
  const isThere = () =>
    inspect('image', image).then(
      () => true,
      () => false,
    )
  if (await isThere()) return 'there'
  await docker(['pull', '--quiet', image]).catch(() => undefined)
  if (await isThere()) return 'there'
  const file = `${root}test/containers/stand-ins/${image.replace(/^.*\/|:.*$/g, '')}.Dockerfile`
  if (!existsSync(file)) return undefined
  await docker(['build', '--quiet', '--tag', image, '--file', file, `${root}test/containers/stand-ins`])
  return 'stand-in'
}
