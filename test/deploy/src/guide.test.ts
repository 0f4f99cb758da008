import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGuide } from '@herald/local-herald'
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
  ...(kubeconfig ? [] : ['HERALD_KUBECONFIG is not set']),
  ...(isThere('go', 'version') ? [] : ['go, which fetches custom resource definitions, is not on the PATH']),
  ...(!hasKubectl || !kubeconfig || (await hasNodes()) ? [] : ['the cluster has no nodes']),
]
if (missing.length > 0) console.warn(`Skipped most of ${path}: ${missing.join('; ')}.`)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herald-guide-'))
  symlinkSync(join(root, 'deploy'), join(folder, 'deploy'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function expectDocumentedOutput(select: (commands: string) => boolean) {
  // Only the kubeconfig; the guide sets all other variables itself.
  const { PATH, HOME } = process.env
  const environment = { PATH, HOME, KUBECONFIG: kubeconfig }
  const steps = await runGuide({ file: join(root, path), folder, environment, select })
  for (const { printed, expected } of steps) if (expected !== undefined) expect(printed).toContain(expected)
  return steps
}

const rendering = hasKubectl ? test : test.skip
rendering('the guide’s overlay renders the documented output', async () => {
  expect(await expectDocumentedOutput((commands) => commands.startsWith('kubectl kustomize'))).toHaveLength(1)
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

  test('all blocks of the guide run, from installation to a release, and print the documented output', async () => {
    expect((await expectDocumentedOutput(() => true)).length).toBe(6)
  }, 600_000)
})
