import {
  type Context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from '../logging/logger.ts'
import type { FinishedSpan, Tracing } from './span.ts'

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const

/** Exports spans in batches through OpenTelemetry's SDK. Sampling follows the decision of the trace's parent. */
export function createOtlpTracing(
  endpoint: string,
  serviceName: string,
  logger: Logger,
): Tracing & { close(): Promise<void> } {
  const warn = (message: string, ...rest: unknown[]) => logger.warn({ rest }, `Traces: ${message}`)
  diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN)
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: 5_000 })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.namespace': 'herald', 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    // Holds the spans of about one second of ingest; beyond that they are dropped.
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: 16_384,
        maxExportBatchSize: 1_024,
        scheduledDelayMillis: 1_000,
      }),
    ],
  })
  const tracer = provider.getTracer('herald')

  function add(span: Omit<FinishedSpan, 'children'>, parent: Context): Context {
    const { name, startMs, endMs, failed } = span
    const added = tracer.startSpan(
      name,
      { kind: kinds[span.kind], startTime: startMs, attributes: { ...span.attributes } },
      parent,
    )
    if (failed) added.setStatus({ code: SpanStatusCode.ERROR })
    added.end(endMs)
    return trace.setSpan(parent, added)
  }

  return {
    record({ children = [], ...span }) {
      const context = add(span, contextOf(span.traceparent))
      for (const child of children) add(child, context)
    },
    close: () => provider.shutdown(),
  }
}

/** Parses a `traceparent` (W3C Trace Context, version 00 and the part that later versions share with it). */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(traceparent?.trim() ?? '') ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags || '0', 16), isRemote: true }
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}
