import type { StartedServers } from './servers.ts'

/** Jest runs set-up and teardown in one process but may load their modules apart; a global is what they share. */
const run = globalThis as { heraldServers?: StartedServers | undefined }

export function keepForTeardown(servers: StartedServers) {
  run.heraldServers = servers
}

export function takeForTeardown(): StartedServers | undefined {
  const servers = run.heraldServers
  run.heraldServers = undefined
  return servers
}
