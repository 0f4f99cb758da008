import type { z } from 'zod'
import type { AdminServer } from '../health/admin-server.ts'
import { type Listening, serve } from '../http/serve.ts'
import type { Logger } from '../logging/logger.ts'
import type { SettingsSchema } from '../settings/settings.ts'
import type { Tracing } from '../tracing/span.ts'
import { startTracing } from '../tracing/tracing.ts'
import type { BuildInfo } from './build-info.ts'
import type { Releasers } from './releasers.ts'
import { runService, type Service } from './run-service.ts'

/** The dependencies that a service is created with. */
export type ServiceDependencies<Settings> = {
  readonly settings: Settings
  readonly logger: Logger
  /** Exposed as `herald_build_info`, if given. */
  readonly build?: BuildInfo | undefined
  readonly releasers: Releasers
  /** Records spans, if given. */
  readonly tracing?: Tracing | undefined
}

/** A service that is wired and does nothing yet. */
type CreatedService = {
  readonly http: Listening
  readonly admin: Pick<AdminServer, 'app' | 'startDraining'>
  /** Starts further work when both servers listen. */
  readonly start?: () => void
}

type ServedSettings = {
  readonly HOST: string
  readonly PORT: number
  readonly ADMIN_PORT: number
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
}

type HttpService<Schema extends SettingsSchema> = Omit<Service<Schema>, 'start'> & {
  readonly create: (dependencies: ServiceDependencies<z.output<Schema>>) => CreatedService
}

/**
 * Runs a service with a public HTTP server and an admin server, as `runService` does. The admin server is released last,
 * so that `/readyz` responds with 503 while the public server closes.
 */
export function runHttpService<Schema extends SettingsSchema & z.ZodType<ServedSettings>>({
  create,
  ...service
}: HttpService<Schema>): Promise<void> {
  return runService({
    ...service,
    async start({ settings, logger, build, releasers, onDraining }) {
      const tracing = await startTracing({ settings, serviceName: service.name, logger, releasers })
      const { http, admin, start } = create({ settings, logger, build, releasers, tracing })
      onDraining(admin.startDraining)
      const { HOST: host, PORT, ADMIN_PORT } = settings
      await serve(admin.app, { name: 'admin server', host, port: ADMIN_PORT, releasers })
      await serve(http, { name: 'HTTP server', host, port: PORT, releasers })
      start?.()
    },
  })
}
