import type { z } from 'zod'
import { toError } from '../logging/logged-error.ts'
import { createLogger, type Logger } from '../logging/logger.ts'
import { loadSettings, type SettingsSchema } from '../settings/settings.ts'
import { type BuildInfo, readBuildInfo } from './build-info.ts'
import { unsupportedNode } from './node-version.ts'
import { logProcessWarnings } from './process-warnings.ts'
import { createReleasers, type Releasers } from './releasers.ts'
import { type ServiceProcess, shutDownOnSignals } from './shutdown.ts'

type ServiceContext<Settings> = {
  readonly settings: Settings
  readonly logger: Logger
  readonly build: BuildInfo
  /** Register each resource right after acquiring it, so that a failed start leaves nothing behind. */
  readonly releasers: Releasers
  /** Registers a callback for the beginning of the shutdown, before anything is released. */
  readonly onDraining: (startDraining: () => void) => void
}

export type Service<Schema extends SettingsSchema> = {
  readonly name: string
  /** URL of the service's package.json, which contains its version. */
  readonly manifest: URL
  readonly schema: Schema
  readonly process: ServiceProcess
  /** Timeout of a shutdown in milliseconds. */
  readonly deadlineMs?: number
  readonly start: (context: ServiceContext<z.output<Schema>>) => Promise<void>
}

/**
 * Runs a service: loads its settings (logs every error, exit code 1), starts it (logs a failure, exit code 1) and shuts
 * it down gracefully on a signal (exit code 0).
 */
export async function runService<Schema extends SettingsSchema>(service: Service<Schema>): Promise<void> {
  const { name, process, deadlineMs } = service
  const unsupported = unsupportedNode()
  if (unsupported) {
    createLogger({ name, level: 'info' }).fatal(unsupported)
    process.exit(1)
    return
  }
  const loaded = loadSettings(service.schema, process.env)
  if (!loaded.ok) {
    const logger = createLogger({ name, level: 'info' })
    for (const { name, detail } of loaded.issues) logger.fatal({ setting: name }, `${name}: ${detail}`)
    process.exit(1)
    return
  }
  const { LOG_LEVEL } = loaded.settings as { LOG_LEVEL?: unknown }
  const logger = createLogger({ name, level: typeof LOG_LEVEL === 'string' ? LOG_LEVEL : 'info' })
  logProcessWarnings({ process, logger })
  const build = readBuildInfo(service.manifest, process.env)
  const releasers = createReleasers(logger)
  const drains: (() => void)[] = []
  const startDraining = () => {
    for (const drain of drains) drain()
  }
  const shutdown = shutDownOnSignals({
    ...{ process, logger, releasers, startDraining },
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  })
  try {
    await service.start({
      settings: loaded.settings,
      logger,
      build,
      releasers,
      onDraining: (drain) => void drains.push(drain),
    })
    logger.info({ ...build }, 'Started')
  } catch (thrown) {
    // A signal during the start releases resources that it is waiting for, so a failure is expected then.
    if (shutdown.isEnding()) logger.warn({ err: toError(thrown) }, 'Start interrupted')
    else shutdown.endAfterException(thrown)
  }
}
