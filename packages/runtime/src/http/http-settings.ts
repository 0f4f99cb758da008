import { limits } from '@herald/contracts'
import { integerSetting, listSetting, originSetting, portSetting, textSetting } from '../settings/setting-types.ts'
import { budgetSettings } from '../shares/budgets.ts'
import { httpBudgets } from '../shares/http-budgets.ts'

const hostSetting = () => textSetting().default('0.0.0.0').meta({ description: 'Address to listen on' })
const adminPortSetting = (port: number) =>
  portSetting().default(port).meta({ description: 'Port of /livez, /readyz and /metrics; never routed by the gateway' })

/** The HTTP server of a process that has no public one. */
export function adminSettings(defaults: { readonly adminPort: number }) {
  return { HOST: hostSetting(), ADMIN_PORT: adminPortSetting(defaults.adminPort) }
}

/** The HTTP servers of a service; each service has its own default ports. */
export function httpSettings(defaults: { readonly port: number; readonly adminPort: number }) {
  return {
    HOST: hostSetting(),
    PORT: portSetting().default(defaults.port).meta({ description: 'Port of the public HTTP server' }),
    ADMIN_PORT: adminPortSetting(defaults.adminPort),
    RATE_LIMIT_PER_MINUTE: integerSetting({ min: 1, max: 1_000_000 })
      .default(limits.requestsPerMinute)
      .meta({ description: 'Requests per minute and user, counted per process' }),
    MAX_CONNECTIONS: integerSetting({ min: 1, max: 1_000_000 })
      .default(limits.connections)
      .meta({ description: 'Open connections of the public HTTP server; further ones are closed at once' }),
    ...budgetSettings(...httpBudgets),
    CORS_ORIGINS: listSetting(originSetting())
      .default([])
      .meta({ description: 'Allowed CORS origins, comma-separated; none if unset' }),
  }
}
