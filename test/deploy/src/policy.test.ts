import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { canRender, type Manifest, manifestsIn, overlays, render, renderAsIs, root, workloads } from './overlays.ts'

type Workload = ReturnType<typeof workloads>[number]

if (!canRender) console.warn('Skipped rendering the overlays: neither kubectl nor kustomize is on the PATH.')

describe.each(overlays)(canRender ? 'overlay %s' : 'overlay %s (not rendered)', (overlay) => {
  const rule = canRender ? test : test.skip
  let manifests: Manifest[] = []
  let running: Workload[] = []

  beforeAll(async () => {
    if (!canRender) return
    manifests = manifestsIn(await render(overlay))
    running = workloads(manifests)
  })

  /** Violations of a rule, as `workload/container: violation`. */
  const violations = (look: (container: Manifest, pod: Manifest, workload: Workload) => string | false | undefined) =>
    running.flatMap((workload) =>
      workload.containers.flatMap((container) => {
        const { what, pod } = workload
        const violation = look(container, pod, workload)
        return violation ? [`${what}/${container.name}: ${violation}`] : []
      }),
    )

  rule('has all services and migrate', () => {
    const own = running.filter(({ isHerald }) => isHerald)
    expect(own.map(({ what }) => what.replace(/-0-.*/, '')).sort()).toEqual([
      'Deployment herald-ingest',
      'Deployment herald-query',
      'Deployment herald-seal',
      'Job herald-migrate',
    ])
    const others = running.filter(({ isHerald }) => !isHerald).map(({ what }) => what)
    const servers = [
      'Deployment gateway',
      'Deployment token-issuer',
      'Job topics',
      'StatefulSet kafka',
      'StatefulSet mongodb',
    ]
    expect(others.sort()).toEqual(overlay === 'local' ? servers : [])
  })

  rule('no container runs as root; the user is numeric', () => {
    expect(
      violations(
        (_, { securityContext: { runAsNonRoot, runAsUser } }) => !(runAsNonRoot && runAsUser > 0) && 'may be root',
      ),
    ).toEqual([])
  })

  rule('root file systems are read-only, privilege escalation is off, capabilities are dropped, seccomp is on', () => {
    expect(
      violations(({ securityContext: own }, pod) => {
        if (own?.readOnlyRootFilesystem !== true) return 'has a writable root file system'
        if (own.allowPrivilegeEscalation !== false) return 'may gain privileges'
        if (own.capabilities?.drop?.join() !== 'ALL' || own.capabilities.add) return 'has capabilities'
        if (pod.securityContext.seccompProfile?.type !== 'RuntimeDefault') return 'has no seccomp profile'
        return pod.hostNetwork || pod.hostPID || pod.hostIPC ? 'shares a namespace of its host' : undefined
      }),
    ).toEqual([])
  })

  rule('the namespace enforces the restricted Pod Security Standard', () => {
    const namespace = manifests.find(({ kind }) => kind === 'Namespace')
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' })
  })

  rule('every container has requests and limits for CPU and memory', () => {
    expect(
      violations(({ resources: { requests = {}, limits = {} } = {} }) =>
        requests.cpu && requests.memory && limits.cpu && limits.memory ? undefined : 'lacks requests or limits',
      ),
    ).toEqual([])
  })

  rule('every service has startup, liveness and readiness probes', () => {
    expect(
      violations(({ startupProbe, livenessProbe, readinessProbe }, _, { kind, isHerald }) => {
        if (kind === 'Job') return
        if (!isHerald) return readinessProbe === undefined && 'has no readiness probe'
        const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)
        return paths.join() !== '/livez,/livez,/readyz' && `is probed at ${paths}`
      }),
    ).toEqual([])
  })

  rule('every image has a tag that is not latest', () => {
    expect(violations(({ image }) => !/^[^:@]+[:@](?!latest$).+$/.test(image) && `runs ${image}`)).toEqual([])
  })

  rule('no pod mounts a service account token', () => {
    expect(violations((_, pod) => pod.automountServiceAccountToken !== false && 'has a token')).toEqual([])
    const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount')
    expect(accounts.map(({ automountServiceAccountToken }) => automountServiceAccountToken)).toEqual(
      accounts.map(() => false),
    )
    const own = running.filter(({ isHerald }) => isHerald)
    expect(own.map(({ pod }) => pod.serviceAccountName)).not.toContain(undefined)
  })

  rule('secrets are referenced and never contained', () => {
    const secretName = /PASSWORD|TOKEN|SECRET|_URI$|KEY(_PREVIOUS)?$/
    const plain = violations(({ env = [] }) => {
      const shown = env.filter(({ name, value }: Manifest) => secretName.test(name) && value !== undefined)
      return shown.length > 0 && `shows ${shown.map(({ name }: Manifest) => name)}`
    })
    expect(plain).toEqual([])
    const settings = manifests.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.keys(data))
    expect(settings.filter((name) => secretName.test(name) && name !== 'AUTH_JWKS_URI')).toEqual([])
    const made = manifests.filter(({ kind }) => kind === 'Secret')
    expect(made.map(({ metadata }) => metadata.name)).toEqual(overlay === 'local' ? ['herald-mongodb'] : [])
    for (const { data } of made) expect(Buffer.from(data.uri, 'base64').toString()).not.toMatch(/\/\/[^/]*@/)
  })

  rule(
    'only seal has the keys that sign the log, each from its Secret, and reaches Kafka only to publish checkpoints',
    () => {
      const withKeys = running.flatMap(({ what, containers }) =>
        containers.flatMap(({ env = [], envFrom = [] }) => {
          expect(envFrom.filter(({ secretRef }: Manifest) => secretRef)).toEqual([])
          return env
            .filter(({ name }: Manifest) => /^LOG_SIGNING_KEY/.test(name))
            .map(({ name, valueFrom }: Manifest) => [what, name, valueFrom.secretKeyRef.name])
        }),
      )
      const keys = ['LOG_SIGNING_KEY', 'LOG_SIGNING_KEY_PREVIOUS']
      const isSealed = overlay === 'production'
      expect(withKeys).toEqual(isSealed ? keys.map((key) => ['Deployment herald-seal', key, 'herald-log-signing']) : [])
      const { data } = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && /settings/.test(metadata.name))
      expect([data.LOG_ORIGIN, data.KAFKA_CHECKPOINT_TOPIC]).toEqual(
        isSealed ? ['log.herald.example/herald', 'log-checkpoints'] : [undefined, undefined],
      )
      const { spec } = manifests.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'kafka')
      const { matchLabels, matchExpressions } = spec.podSelector
      expect(matchLabels?.['app.kubernetes.io/name'] ?? matchExpressions[0].values).toEqual(
        isSealed ? ['herald-ingest', 'herald-seal'] : 'herald-ingest',
      )
    },
  )

  rule('a deployment is spread over nodes, updated without downtime, and has enough time to stop', () => {
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

  rule('each deployment has a disruption budget', () => {
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual([
      'herald-ingest',
      'herald-query',
      'herald-seal',
    ])
  })

  rule('network traffic is denied by default, and only monitoring can reach admin ports', () => {
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

  rule('in production all egress is limited to addresses and ports', () => {
    const open = manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .flatMap(({ metadata, spec }) => (spec.egress ?? []).map((egress: Manifest) => ({ ...metadata, ...egress })))
      .filter(({ to = [], ports = [] }) => ports.length === 0 || to.length === 0 || to.some(isAnywhere))
      .map(({ name }) => name)
    expect(open.sort()).toEqual(overlay === 'local' ? ['kafka', 'keys-for-tokens', 'local', 'mongodb'] : [])
  })

  rule('image names that were not replaced cannot be pulled', async () => {
    const images = workloads(manifestsIn(await renderAsIs(overlay))).flatMap(({ containers }) => containers)
    const own = images.filter(({ name }) => ['ingest', 'query', 'migrate', 'token-issuer'].includes(name))
    expect(own.length).toBeGreaterThanOrEqual(3)
    for (const { image, imagePullPolicy } of own) {
      // Registries reject capitals in names; local images are never pulled.
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
