import { existsSync } from 'node:fs'
import { composeServices } from './compose-file.ts'
import { docker, inspect, root } from './docker.ts'

/**
 * Makes a third-party image available: pulls it or, if no registry is reachable, builds a stand-in with the same name from
 * Debian's package by a file in `stand-ins/`. Returns `undefined` if neither is possible.
 */
export async function haveImage(service: string): Promise<'present' | 'stand-in' | undefined> {
  const { image = '' } = composeServices().get(service) ?? {}
  const isPresent = () =>
    inspect('image', image).then(
      () => true,
      () => false,
    )
  if (await isPresent()) return 'present'
  await docker(['pull', '--quiet', image]).catch(() => undefined)
  if (await isPresent()) return 'present'
  const file = `${root}test/deploy/stand-ins/${image.replace(/^.*\/|:.*$/g, '')}.Dockerfile`
  if (!existsSync(file)) return undefined
  await docker(['build', '--quiet', '--tag', image, '--file', file, `${root}test/deploy/stand-ins`])
  return 'stand-in'
}
