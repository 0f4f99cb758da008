import type { Releasers } from '../lifecycle/releasers.ts'
import type { Logger } from '../logging/logger.ts'
import type { Tracing } from './span.ts'

export type TracingDependencies = {
  readonly settings: { readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined }
  readonly serviceName: string
  readonly logger: Logger
  readonly releasers: Releasers
}

/** Sends traces to `OTEL_EXPORTER_OTLP_ENDPOINT`. Without it, OpenTelemetry is not loaded. */
export async function startTracing(dependencies: TracingDependencies): Promise<Tracing | undefined> {
  const { settings, serviceName, logger, releasers } = dependencies
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings
  if (endpoint === undefined) return undefined
  const { createOtlpTracing } = await import('./otlp-tracing.ts')
  const { close, ...tracing } = createOtlpTracing(endpoint, serviceName, logger)
  releasers.add('traces', close)
  return tracing
}
