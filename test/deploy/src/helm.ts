import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from '@herald/test-servers'
import { execute, isThere } from './commands.ts'

const version = 'v3.18.6'

/**
 * Returns Helm: from the PATH or the cache folder. The full run builds it there from its Go module, which takes some minutes
 * once; other runs have no time for that.
 */
export async function findHelm(): Promise<string | undefined> {
  if (isThere('helm', 'version')) return 'helm'
  const folder = join(cacheFolder(process.env), `helm-${version}`)
  const helm = join(folder, 'helm')
  if (isThere(helm, 'version')) return helm
  if (process.env.HERALD_FULL !== '1' || !isThere('go', 'version')) return undefined
  await mkdir(folder, { recursive: true })
  await execute('go', ['install', `helm.sh/helm/v3/cmd/helm@${version}`], {
    env: { ...process.env, GOBIN: folder },
  })
  return helm
}

export const whyNoHelm = 'helm is neither on the PATH nor in the cache, where the full run builds it with go'
