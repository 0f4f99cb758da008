import { readFileSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'

/** Identifies the build of a service. */
export type BuildInfo = {
  readonly version: string
  /** The commit that the image was built from, if known. */
  readonly revision?: string
  /** Version of Node.js, without the `v`. */
  readonly node: string
}

/**
 * Reads the version of a service from its package.json, and the commit from `HERALD_REVISION`, which is set in images.
 *
 * @throws Error if the file is missing or has no version
 */
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
