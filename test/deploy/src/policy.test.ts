import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { canRender, type Manifest, manifestsIn, overlays, render, renderAsIs, root, workloads } from './overlays.ts'

type Workload = ReturnType<typeof workloads>[number]

if (!canRender) console.warn('Skipped: neither kubectl nor kustomize is on the PATH, so nothing can be rendered.')

describe.each(overlays)(canRender ? 'overlay %s' : 'overlay %s (nothing renders here)', (overlay) => {
  const rule = canRender ? test : test.skip
  let manifests: Manifest[] = []
  let running: Workload[] = []

  beforeAll(async () => {
    if (!canRender) return
    manifests = manifestsIn(await render(overlay))
    running = workloads(manifests)
  })

  /** Violations of a rule, as `workload/container: what`. */
  const faults = (look: (container: Manifest, pod: Manifest, workload: Workload) => string | false | undefined) =>
    running.flatMap((workload) =>
      workload.containers.flatMap((container) => {
        const { what, pod } = workload
        const fault = look(container, pod, workload)
        return fault ? [`${what}/${container.name}: ${fault}`] : []
      }),
    )

  rule('has both services and migrate', () => {
    const own = running.filter(({ isHerald }) => isHerald)
    expect(own.map(({ what }) => what.replace(/-0-.*/, '')).sort()).toEqual([
      'Deployment herald-ingest',
      'Deployment herald-query',
      'Job herald-migrate',
    ])
    const beside = running.filter(({ isHerald }) => !isHerald).map(({ what }) => what)
    const servers = [
      'Deployment gateway',
      'Deployment token-issuer',
      'Job topics',
      'StatefulSet kafka',
      'StatefulSet mongodb',
    ]
    expect(beside.sort()).toEqual(overlay === 'local' ? servers : [])
  })

  rule('nothing runs as root, by number', () => {
    expect(
      faults(
        (_, { securityContext: { runAsNonRoot, runAsUser } }) => !(runAsNonRoot && runAsUser > 0) && 'may be root',
      ),
    ).toEqual([])
  })

  rule('no file system can be written, no privilege be gained, no capability is left, seccomp is on', () => {
    expect(
      faults(({ securityContext: own }, pod) => {
        if (own?.readOnlyRootFilesystem !== true) return 'may write its root file system'
        if (own.allowPrivilegeEscalation !== false) return 'may gain privileges'
        if (own.capabilities?.drop?.join() !== 'ALL' || own.capabilities.add) return 'has capabilities'
        if (pod.securityContext.seccompProfile?.type !== 'RuntimeDefault') return 'has no seccomp profile'
        return pod.hostNetwork || pod.hostPID || pod.hostIPC ? 'shares something of its host' : undefined
      }),
    ).toEqual([])
  })

  rule('the namespace enforces the restricted Pod Security Standard', () => {
    const namespace = manifests.find(({ kind }) => kind === 'Namespace')
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' })
  })

  rule('everything asks for CPU and memory, and has limits to both', () => {
    expect(
      faults(({ resources: { requests = {}, limits = {} } = {} }) =>
        requests.cpu && requests.memory && limits.cpu && limits.memory ? undefined : 'has no bounds',
      ),
    ).toEqual([])
  })

  rule('every service is probed: start, liveness, readiness', () => {
    expect(
      faults(({ startupProbe, livenessProbe, readinessProbe }, _, { kind, isHerald }) => {
        if (kind === 'Job') return
        if (!isHerald) return readinessProbe === undefined && 'has no readiness probe'
        const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)
        return paths.join() !== '/livez,/livez,/readyz' && `is probed at ${paths}`
      }),
    ).toEqual([])
  })

  rule('every image has a tag that is not latest', () => {
    expect(faults(({ image }) => !/^[^:@]+[:@](?!latest$).+$/.test(image) && `runs ${image}`)).toEqual([])
  })

  rule('no pod has a token of its service account', () => {
    expect(faults((_, pod) => pod.automountServiceAccountToken !== false && 'has a token')).toEqual([])
    const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount')
    expect(accounts.map(({ automountServiceAccountToken }) => automountServiceAccountToken)).toEqual(
      accounts.map(() => false),
    )
    const own = running.filter(({ isHerald }) => isHerald)
    expect(own.map(({ pod }) => pod.serviceAccountName)).not.toContain(undefined)
  })

  rule('secrets are referred to, and contained nowhere', () => {
    const secretive = /PASSWORD|TOKEN|SECRET|_URI$|KEY$/
    const plain = faults(({ env = [] }) => {
      const shown = env.filter(({ name, value }: Manifest) => secretive.test(name) && value !== undefined)
      return shown.length > 0 && `shows ${shown.map(({ name }: Manifest) => name)}`
    })
    expect(plain).toEqual([])
    const settings = manifests.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.keys(data))
    expect(settings.filter((name) => secretive.test(name) && name !== 'AUTH_JWKS_URI')).toEqual([])
    const made = manifests.filter(({ kind }) => kind === 'Secret')
    expect(made.map(({ metadata }) => metadata.name)).toEqual(overlay === 'local' ? ['herald-mongodb'] : [])
    for (const { data } of made) expect(Buffer.from(data.uri, 'base64').toString()).not.toMatch(/\/\/[^/]*@/)
  })

  rule('a deployment is spread, is rolled without a gap, and has longer to end than Herald takes', () => {
    for (const { kind, isHerald, spec, pod, containers } of running) {
      if (kind !== 'Deployment' || !isHerald) continue
      expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
      expect(pod.topologySpreadConstraints.map(({ topologyKey }: Manifest) => topologyKey)).toEqual([
        'topology.kubernetes.io/zone',
        'kubernetes.io/hostname',
      ])
      const [{ lifecycle }] = containers
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(lifecycle.preStop.sleep.seconds + 25)
    }
  })

  rule('each deployment has a budget for disruptions', () => {
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual(['herald-ingest', 'herald-query'])
  })

  rule('network traffic is denied by default, and only the monitoring reaches admin ports', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
    const all = policies.find(({ metadata }) => metadata.name === 'default-deny')
    expect(all.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    const toAdmin = policies.filter(({ spec }) =>
      spec.ingress?.some(({ ports = [] }: Manifest) => ports.some(({ port }: Manifest) => port === 'admin')),
    )
    expect(toAdmin.map(({ metadata }) => metadata.name)).toEqual(overlay === 'local' ? [] : ['metrics'])
    const routed = manifests.filter(({ kind }) => kind === 'HTTPRoute')
    expect(JSON.stringify(routed)).not.toMatch(/admin|900[0-9]/)
  })

  rule('in production every way out has addresses and ports', () => {
    const open = manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .flatMap(({ metadata, spec }) => (spec.egress ?? []).map((egress: Manifest) => ({ ...metadata, ...egress })))
      .filter(({ to = [], ports = [] }) => ports.length === 0 || to.length === 0 || to.some(isAnywhere))
      .map(({ name }) => name)
    expect(open.sort()).toEqual(overlay === 'local' ? ['kafka', 'keys-for-tokens', 'local', 'mongodb'] : [])
  })

  rule('nobody owns the names of the images that are not replaced', async () => {
    const images = workloads(manifestsIn(await renderAsIs(overlay))).flatMap(({ containers }) => containers)
    const own = images.filter(({ name }) => ['ingest', 'query', 'migrate', 'token-issuer'].includes(name))
    expect(own.length).toBeGreaterThanOrEqual(3)
    for (const { image, imagePullPolicy } of own) {
      // No registry takes capitals in a name; a local image is never pulled.
      if (overlay === 'production') expect(image).toMatch(/^REPLACE_ME\//)
      else expect([image, imagePullPolicy]).toEqual([expect.stringMatching(/:local$/), 'Never'])
    }
    const base = readFileSync(`${root}deploy/kustomize/base/ingest.yaml`, 'utf8')
    expect(base).toContain('image: herald.invalid/ingest')
  })
})

const isAnywhere = ({ ipBlock, namespaceSelector, podSelector }: Manifest) =>
  ipBlock?.cidr.endsWith('/0') ||
  (ipBlock === undefined &&
    Object.keys({ ...namespaceSelector?.matchLabels, ...podSelector?.matchLabels }).length === 0)
