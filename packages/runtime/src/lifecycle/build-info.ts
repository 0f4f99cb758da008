import { readFileSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'

export type BuildInfo = {
  readonly version: string
  /** The commit that the image was built from, if known. */
  readonly revision?: string
  readonly node: string
}

/** Reads the version from a package.json, and the commit from `HERALD_REVISION`. @throws Error without a version */
export function readBuildInfo(manifest: URL, { HERALD_REVISION }: NodeJS.ProcessEnv): BuildInfo {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown }
  if (typeof version !== 'string') throw new Error(`${manifest.pathname} has no version`)
  return { version, ...(HERALD_REVISION ? { revision: HERALD_REVISION } : {}), node: process.versions.node }
}

/** Exposes the build as labels of `herald_build_info`, whose value is always 1. */
export function exposeBuildInfo(registry: Registry, build: BuildInfo): void {
  const gauge = new Gauge({
    name: 'herald_build_info',
    help: 'Version, commit and Node.js version of the running service, always 1',
    labelNames: ['version', 'revision', 'node'],
    registers: [registry],
  })
  gauge.set({ ...build }, 1)
}
