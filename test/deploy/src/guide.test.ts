import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGuide } from '@herald/local-stack'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createCluster } from './cluster.ts'
import { isThere } from './commands.ts'
import { installCustomResources } from './custom-resources.ts'
import { root } from './overlays.ts'
import { reportForSimulatedNodes } from './simulated-nodes.ts'

const path = 'deploy/guides/run-on-kubernetes.md'
const { HERALD_KUBECONFIG: kubeconfig = '' } = process.env
const cluster = createCluster(kubeconfig)
const hasKubectl = isThere('kubectl', 'version', '--client')
const hasNodes = () =>
  cluster.get('nodes').then(
    ({ items }) => items.length > 0,
    () => false,
  )
const missing = [
  ...(hasKubectl ? [] : ['kubectl is not on the PATH']),
  ...(kubeconfig ? [] : ['HERALD_KUBECONFIG names no cluster that may be written to']),
  ...(isThere('go', 'version') ? [] : ['go is not on the PATH, to fetch the definitions of others']),
  ...(!hasKubectl || !kubeconfig || (await hasNodes()) ? [] : ['the cluster has no node']),
]
if (missing.length > 0) console.warn(`Skipped, ${path} is not followed to its end: ${missing.join('; ')}.`)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herald-guide-'))
  symlinkSync(join(root, 'deploy'), join(folder, 'deploy'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function expectAsSaid(isWanted: (commands: string) => boolean) {
  // The cluster, and nothing else that the guide does not set itself.
  const { PATH, HOME } = process.env
  const environment = { PATH, HOME, KUBECONFIG: kubeconfig }
  const steps = await runGuide({ file: join(root, path), folder, environment, isWanted })
  for (const { printed, said } of steps) if (said !== undefined) expect(printed).toContain(said)
  return steps
}

const rendering = hasKubectl ? test : test.skip
rendering('the guide’s own overlay renders as the guide says', async () => {
  expect(await expectAsSaid((commands) => commands.startsWith('kubectl kustomize'))).toHaveLength(1)
})

const onCluster = missing.length > 0 ? describe.skip : describe
onCluster('on a cluster', () => {
  const namespaces = ['herald', 'gateway']
  const remove = () => cluster.kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--timeout=120s'])
  let stopReporting: (() => Promise<void>) | undefined
  beforeEach(async () => {
    await remove()
    await installCustomResources(cluster)
    stopReporting = await reportForSimulatedNodes(cluster)
  })
  afterEach(async () => {
    await remove()
    await stopReporting?.()
  })

  test('every block of the guide runs, from the first time to a release, and prints what it says', async () => {
    expect((await expectAsSaid(() => true)).length).toBe(6)
  }, 600_000)
})
