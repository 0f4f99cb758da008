import type { StartedServers } from '../servers.ts'

/** Jest runs setup and teardown in one process but may load their modules separately, so they share a global. */
const run = globalThis as { heraldServers?: StartedServers | undefined }

export function keepForTeardown(servers: StartedServers) {
  run.heraldServers = servers
}

export function takeForTeardown(): StartedServers | undefined {
  const servers = run.heraldServers
  run.heraldServers = undefined
  return servers
}
