import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { docker } from './docker.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests of any kind; only the needed fields are read.
export type Manifest = any

/** Renders the manifests of a kustomize folder. */
export const renderFolder = (folder: string): Manifest[] =>
  parseAllDocuments(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })).map((document) =>
    document.toJS(),
  )

/**
 * Runs the containers of the manifests in Docker as Kubernetes would: image, command, environment, user, read-only root, volumes
 * and DNS names. A relay replaces a Service whose port differs from its pods' port. Probes, policies and custom resources are
 * ignored.
 */
export async function runRenderedPods(manifests: readonly Manifest[]) {
  const network = `herald-pods-${randomBytes(4).toString('hex')}`
  const files = mkdtempSync(join(tmpdir(), `${network}-`))
  const containers: string[] = []
  const services = manifests.filter(({ kind }) => kind === 'Service')
  const find = (kind: string, name: string) => manifests.find((one) => one.kind === kind && one.metadata.name === name)
  await docker(['network', 'create', network])

  const run = async (name: string, args: readonly string[]) => {
    containers.push(`${network}-${name}`)
    await docker(['run', '--detach', '--name', `${network}-${name}`, '--network', network, ...args])
  }

  for (const { kind, metadata, spec } of manifests) {
    if (!spec?.template?.spec.containers) continue
    const pod = spec.template.spec
    const [container] = pod.containers
    const names = services.filter((service) => selects(service, spec.template) && isDirect(service, container))
    const stable = kind === 'StatefulSet' ? [`${metadata.name}-0.${spec.serviceName}`] : []
    await run(metadata.name, [
      ...[...names.map((service) => service.metadata.name), ...stable].flatMap((name) => ['--network-alias', name]),
      ...['--restart', kind === 'Job' ? 'on-failure' : 'always', '--read-only', '--cap-drop', 'ALL'],
      ...[
        '--security-opt',
        'no-new-privileges:true',
        '--memory',
        container.resources.limits.memory.replace('i', '').toLowerCase(),
      ],
      ...['--user', `${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`],
      ...environmentOf(container, find).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...volumesOf(pod, spec, container, find, join(files, metadata.name)),
      ...(container.ports ?? []).flatMap(({ containerPort }: Manifest) => ['--publish', `127.0.0.1::${containerPort}`]),
      ...(container.command ? ['--entrypoint', container.command[0]] : []),
      ...[container.image, ...(container.command?.slice(1) ?? []), ...(container.args ?? [])],
    ])
  }
  for (const service of services) {
    const target = manifests.find(({ spec }) => spec?.template && selects(service, spec.template))
    const container = target.spec.template.spec.containers[0]
    if (isDirect(service, container)) continue
    const [{ port, targetPort }] = service.spec.ports
    const to = `{ host: '${network}-${target.metadata.name}', port: ${numberOf(targetPort, container)} }`
    const relay = `require('net').createServer((from) => { const to = require('net').connect(${to}); from.pipe(to).pipe(from); from.on('error', () => to.destroy()); to.on('error', () => from.destroy()) }).listen(${port})`
    await run(`${service.metadata.name}-relay`, [
      ...['--network-alias', service.metadata.name, '--entrypoint', 'node', container.image, '-e', relay],
    ])
  }

  return {
    /** Runs a command in a container; throws if it fails. */
    exec: (name: string, command: readonly string[]) => docker(['exec', `${network}-${name}`, ...command]),
    logs: (name: string) => docker(['logs', `${network}-${name}`]),
    /** The host address of a container's port. */
    address: async (name: string, port: number) =>
      (await docker(['port', `${network}-${name}`, String(port)])).trim().split('\n')[0],
    async stop() {
      await docker(['rm', '--force', '--volumes', ...containers])
      await docker(['network', 'rm', network])
      rmSync(files, { recursive: true, force: true })
    },
  }
}

const selects = ({ spec }: Manifest, { metadata }: Manifest) =>
  Object.entries(spec.selector).every(([key, value]) => metadata.labels[key] === value)
const numberOf = (port: string | number, { ports }: Manifest): number =>
  typeof port === 'number' ? port : ports.find(({ name }: Manifest) => name === port).containerPort
const isDirect = ({ spec }: Manifest, container: Manifest) =>
  spec.ports.every(({ port, targetPort = port }: Manifest) => numberOf(targetPort, container) === port)

type Find = (kind: string, name: string) => Manifest

function environmentOf({ env = [], envFrom = [] }: Manifest, find: Find): [string, string][] {
  const settings = envFrom.flatMap(({ configMapRef }: Manifest) =>
    Object.entries(find('ConfigMap', configMapRef.name).data),
  )
  const own = env.flatMap(({ name, value, valueFrom }: Manifest) => {
    if (value !== undefined) return [[name, value]]
    const { name: secret, key } = valueFrom.secretKeyRef
    const encoded = find('Secret', secret)?.data[key]
    return encoded === undefined ? [] : [[name, Buffer.from(encoded, 'base64').toString()]]
  })
  return [...settings, ...own]
}

function volumesOf(
  pod: Manifest,
  { volumeClaimTemplates = [] }: Manifest,
  container: Manifest,
  find: Find,
  folder: string,
) {
  const claims = volumeClaimTemplates.map(({ metadata }: Manifest) => metadata.name)
  const { runAsUser, runAsGroup, fsGroup = runAsGroup } = pod.securityContext
  return (container.volumeMounts ?? []).flatMap(({ name, mountPath }: Manifest) => {
    // A new volume is empty and writable by the pod's group. Docker takes the mode from the image, so the user must own it.
    if (claims.includes(name)) return ['--tmpfs', `${mountPath}:uid=${runAsUser},gid=${fsGroup}`]
    const volume = pod.volumes.find((one: Manifest) => one.name === name)
    if (volume.emptyDir) return ['--tmpfs', `${mountPath}:uid=${runAsUser},gid=${runAsGroup},mode=1777`]
    const sources = volume.projected?.sources ?? [volume]
    for (const { configMap } of sources) {
      for (const [file, text] of Object.entries(find('ConfigMap', configMap.name).data)) {
        const path = join(folder, name, file)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text as string)
      }
    }
    return ['--volume', `${join(folder, name)}:${mountPath}:ro`]
  })
}
