import { readFileSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'

export type BuildInfo = ReturnType<typeof readBuildInfo>

/** Reads the version from a package.json, and the commit of the image from `HERALD_REVISION`. @throws Error without a version */
export function readBuildInfo(manifest: URL, { HERALD_REVISION }: NodeJS.ProcessEnv) {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown }
  if (typeof version !== 'string') throw new Error(`${manifest.pathname} has no version`)
  return { version, ...(HERALD_REVISION ? { revision: HERALD_REVISION } : {}), node: process.versions.node }
}

/** Exposes the build as labels of `herald_build_info`, whose value is always 1. */
export function exposeBuildInfo(registry: Registry, build: BuildInfo): void {
  new Gauge({
    name: 'herald_build_info',
    help: 'Version, commit and Node.js version of the running service, always 1',
    labelNames: ['version', 'revision', 'node'],
    registers: [registry],
  }).set({ ...build }, 1)
}
