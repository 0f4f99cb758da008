import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from '@herald/test-servers'
import { execute, isThere } from './commands.ts'

const version = 'v3.18.6'

/**
 * Returns Helm: from the PATH, or built from its Go module into the cache folder, which takes some minutes once. Returns
 * `undefined` without Helm and Go.
 */
export async function findHelm(): Promise<string | undefined> {
  if (isThere('helm', 'version')) return 'helm'
  const folder = join(cacheFolder(process.env), `helm-${version}`)
  const helm = join(folder, 'helm')
  if (isThere(helm, 'version')) return helm
  if (!isThere('go', 'version')) return undefined
  await mkdir(folder, { recursive: true })
  await execute('go', ['install', `helm.sh/helm/v3/cmd/helm@${version}`], {
    env: { ...process.env, GOBIN: folder },
  })
  return helm
}
