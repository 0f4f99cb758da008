import type { z } from 'zod'
import type { AdminServer } from '../health/admin-server.ts'
import type { adminSettings } from '../http/http-settings.ts'
import { type BuildInfo, readBuildInfo } from '../lifecycle/build-info.ts'
import { createReleasers, type Releasers } from '../lifecycle/releasers.ts'
import { type ServiceProcess, shutDownOnSignals } from '../lifecycle/shutdown.ts'
import { toError } from '../logging/logged-error.ts'
import { createLogger, type Logger } from '../logging/logger.ts'
import type { SettingsSchema } from '../settings/settings.ts'
import type { observationSettings } from '../settings/shared-settings.ts'
import type { Tracing } from '../tracing/span.ts'
import { startTracing } from '../tracing/tracing.ts'
import { loadOrExit } from './load-or-exit.ts'

export type ServiceDependencies<Settings> = {
  readonly settings: Settings
  readonly logger: Logger
  /** Exposed as `herald_build_info`, if given. */
  readonly build?: BuildInfo | undefined
  /** Register each resource right after acquiring it, so that a failed start leaves nothing behind. */
  readonly releasers: Releasers
  readonly tracing?: Tracing | undefined
}

type Listening = {
  listen(options: { readonly host: string; readonly port: number }): Promise<unknown>
  close(): PromiseLike<unknown>
}

type CreatedService = {
  /** The public server, at the setting `PORT`. */
  readonly http?: Listening
  readonly admin: Pick<AdminServer, 'startDraining'> & { readonly app: Listening }
  readonly start?: () => void | Promise<void>
}

type AdminSettings = z.output<z.ZodObject<ReturnType<typeof adminSettings> & typeof observationSettings>>
type ServedSettings = AdminSettings & { readonly PORT?: number }

type HttpService<Schema extends SettingsSchema> = {
  readonly name: string
  /** URL of the service's package.json, which contains its version. */
  readonly manifest: URL
  readonly schema: Schema
  readonly process: ServiceProcess
  readonly deadlineMs?: number
  readonly create: (dependencies: ServiceDependencies<z.output<Schema>>) => CreatedService
}

/** Milliseconds in which a server may close; must exceed the server's `drainMs`. */
const closeMs = 12_000

/** Runs a service until a signal (exit code 0). If settings are invalid or the start fails, it logs why (exit code 1). */
export async function runHttpService<Schema extends SettingsSchema & z.ZodType<ServedSettings>>({
  name,
  manifest,
  schema,
  process,
  deadlineMs,
  create,
}: HttpService<Schema>): Promise<void> {
  const settings = loadOrExit(schema, process, createLogger({ name, level: 'info' }))
  const { HOST: host, PORT, ADMIN_PORT, LOG_LEVEL } = settings
  const logger = createLogger({ name, level: LOG_LEVEL })
  logProcessWarnings(process, logger)
  const build = readBuildInfo(manifest, process.env)
  const releasers = createReleasers(logger)
  let startDraining = () => {}
  const shutdown = shutDownOnSignals({ process, logger, releasers, startDraining: () => startDraining(), deadlineMs })
  try {
    const tracing = await startTracing({ settings, serviceName: name, logger, releasers })
    const { http, admin, start } = create({ settings, logger, build, releasers, tracing })
    startDraining = admin.startDraining
    // Released last, so that `/readyz` responds until the end.
    releasers.add('admin server', () => admin.app.close(), { limitMs: closeMs })
    await admin.app.listen({ host, port: ADMIN_PORT })
    if (http !== undefined && PORT !== undefined) {
      releasers.add('HTTP server', () => http.close(), { limitMs: closeMs })
      await http.listen({ host, port: PORT })
    }
    await start?.()
    logger.info({ ...build }, 'Started')
  } catch (thrown) {
    // A signal during the start releases resources that it is waiting for, so a failure is expected then.
    if (shutdown.isEnding()) logger.warn({ err: toError(thrown) }, 'Start interrupted')
    else shutdown.endAfterException(thrown)
  }
}

/** Logs warnings of Node.js and libraries. Repetitions are logged at `debug`, because some occur with every timer. */
function logProcessWarnings(process: ServiceProcess, logger: Logger): void {
  const seen = new Set<string>()
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message, code }: Error & { code?: string }) => {
    const kind = `${name} ${code}`
    const level = seen.has(kind) ? 'debug' : 'warn'
    seen.add(kind)
    logger[level]({ warning: name, code }, message)
  })
}
