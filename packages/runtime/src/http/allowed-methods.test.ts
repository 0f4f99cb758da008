import { operations } from '@herald/contracts'
import { describe, expect, test } from '@jest/globals'
import { allowHeader, createAllowedMethods } from './allowed-methods.ts'

const allowed = createAllowedMethods([
  { method: 'GET', path: '/things/:id' },
  { method: 'POST', path: '/things/read' },
  { method: 'PATCH', path: '/things/{thingId}/read' },
  { method: 'GET', path: '/docs/*' },
])

test.each([
  ['/things/1', ['GET', 'HEAD']],
  ['/things/read', ['POST']],
  ['/things/%72ead?x=1', ['POST']],
  ['/things/read#x', ['POST']],
  ['/things/1/read', ['PATCH']],
  ['/docs/a/b.css', ['GET', 'HEAD']],
  ['/things', []],
  ['/things/', []],
  ['/things/1/', []],
  ['/Things/1', []],
  ['/things/1/2/read', []],
  ['/%ff', []],
  ['', []],
])('%s has %j', (url, methods) => {
  expect([...allowed.at(url)].sort()).toEqual(methods)
})

describe('allowHeader', () => {
  test.each([
    [['GET', 'HEAD', 'POST'], 'PUT', 'GET, HEAD, POST'],
    [['GET', 'HEAD', 'POST'], 'GET', 'POST'],
    [['GET', 'HEAD', 'POST'], 'POST', 'GET, HEAD'],
    [['GET', 'HEAD'], 'HEAD', ''],
    [[], 'GET', ''],
  ])('of %j without %s is "%s"', (methods, refused, value) => {
    expect(allowHeader(new Set(methods), refused)).toBe(value)
  })
})

test('accepts the operations of the contract', () => {
  expect([...createAllowedMethods(Object.values(operations)).at('/')].sort()).toEqual(['GET', 'HEAD', 'POST'])
})
