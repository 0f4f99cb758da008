import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { root } from './overlays.ts'

/** Requests and the services that both gateways send them to. */
const requests = [
  ['POST', '/', 'ingest'],
  ['DELETE', '/notifications/0190a6e0-7c1b-7def-8abc-000000000001', 'ingest'],
  ['GET', '/', 'query'],
  ['POST', '/notifications/read', 'query'],
  ['POST', '/notifications/seen', 'query'],
  ['PATCH', '/notifications/0190a6e0-7c1b-7def-8abc-000000000001/archived', 'query'],
  ['GET', '/notifications/groups', 'query'],
  ['PUT', '/mutes/actor/0190a6e0-7c1b-7def-8abc-000000000001', 'query'],
  ['DELETE', '/mutes/location/0190a6e0-7c1b-7def-8abc-000000000001', 'query'],
  ['GET', '/notifications/stream', 'query'],
  ['GET', '/change-entries/all?entityType=fund', 'query'],
  ['GET', '/change-entries/sealed?from=0', 'query'],
  ['GET', '/asyncapi.json', 'query'],
  ['GET', '/docs/events', 'query'],
  ['GET', '/schemas/captured-changes.json', 'query'],
] as const

type Match = { readonly method?: string; readonly path: { readonly type: string; readonly value: string } }
type Rule = { readonly matches: readonly Match[]; readonly backendRefs: readonly { readonly name: string }[] }

test.each(requests)('the HTTPRoute sends %s %s to %s', (method, url, service) => {
  const { spec } = parse(readFileSync(`${root}deploy/kustomize/components/gateway/http-route.yaml`, 'utf8'))
  const [path = ''] = url.split('?')
  const matches = (spec.rules as Rule[]).flatMap((rule) => rule.matches.map((match) => ({ ...match, rule })))
  const isWithin = (prefix: string) => path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
  const fitting = matches.filter(
    (match) =>
      (match.method === undefined || match.method === method) &&
      (match.path.type === 'Exact' ? path === match.path.value : isWithin(match.path.value)),
  )
  // Gateway API: an exact path wins, then the longest prefix, then a method.
  const rank = ({ path: { type, value }, method: own }: Match) =>
    (type === 'Exact' ? 1e6 : 0) + value.length * 2 + (own ? 1 : 0)
  const [best] = fitting.sort((a, b) => rank(b) - rank(a))
  expect(best?.rule.backendRefs).toMatchObject([{ name: `herald-${service}` }])
})

test.each(requests)('the gateway of docker-compose.yml sends %s %s to %s', (method, url, service) => {
  const conf = readFileSync(`${root}deploy/compose/nginx.conf`, 'utf8')
  const [, map = ''] = /map "\$request_method \$request_uri" \$herald_service \{([^}]*)\}/.exec(conf) ?? []
  const rules = [...map.matchAll(/^\s*"~(.+)"\s+(\w+);$/gm)]
  const found = rules.find(([, pattern = '']) => new RegExp(pattern).test(`${method} ${url}`))
  expect(found?.[2] ?? /^\s*default\s+(\w+);$/m.exec(map)?.[1]).toBe(service)
})

test('the route attaches to the Gateway of the guide, and only its namespace may reach the services', () => {
  const guide = readFileSync(`${root}deploy/guides/run-on-kubernetes.md`, 'utf8')
  const [, block = ''] = /```yaml gateway\.yaml\n(.*?)```/s.exec(guide) ?? []
  const [namespace, gateway] = parseAllDocuments(block).map((document) => document.toJS())
  const component = `${root}deploy/kustomize/components/gateway`
  const route = parse(readFileSync(`${component}/http-route.yaml`, 'utf8'))
  const policy = parse(readFileSync(`${component}/network-policy.yaml`, 'utf8'))
  expect(route.spec.parentRefs).toEqual([gateway.metadata])
  expect(gateway.spec.listeners[0].allowedRoutes.namespaces.from).toBe('All')
  const { matchLabels } = policy.spec.ingress[0].from[0].namespaceSelector
  expect(matchLabels).toEqual({ 'kubernetes.io/metadata.name': namespace.metadata.name })
  expect(gateway.metadata.namespace).toBe(namespace.metadata.name)
})
