import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A received span with the name of its service. */
export type ReceivedSpan = {
  service: string
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, unknown>
  status: { code?: number }
}

type Attribute = { key: string; value: Record<string, unknown> }
type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'service' | 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

const toRecord = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** A trace collector (OTLP over HTTP) that keeps the spans it receives. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const paths = new Set<string>()
  const server = createServer(async (request, response) => {
    paths.add(`${request.method} ${request.url}`)
    const { resourceSpans } = (await json(request)) as Export
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(toRecord(resource.attributes)['service.name'])
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...span, service, attributes: toRecord(span.attributes) })
      }
    }
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
