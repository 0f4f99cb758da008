import { describe, expect, test } from '@jest/globals'
import { parseMappings, readMappingFile } from './mapping-file.ts'

const parse = (text: string) => parseMappings(text, 'cdc.yaml')
const issuesOf = (text: string) => {
  const read = parse(text)
  return read.ok ? [] : read.issues
}

const valid = `topics:
  shop.public.customer:
    entityType: customer
    subscriberId: tenant_id
    entityId: id
    entityTitle: { constant: Customer }
    user: { id: changed_by, email: [profile, e.mail], derive: true }
    ignore: [updated_at]
`

test('a mapping file is read, with deissues', () => {
  const read = parse(valid)
  expect(read.ok && read.mappings.get('shop.public.customer')).toEqual({
    entityType: 'customer',
    subscriberId: 'tenant_id',
    entityId: 'id',
    entityTitle: { constant: 'Customer' },
    user: { id: 'changed_by', email: ['profile', 'e.mail'], derive: true },
    ignore: ['updated_at'],
    redact: [],
    unavailable: '__debezium_unavailable_value',
    snapshot: 'skip',
  })
})

test('JSON is YAML', () => {
  const read = parse(valid)
  const topics = read.ok ? Object.fromEntries(read.mappings) : {}
  expect(parse(JSON.stringify({ topics }))).toEqual(read)
})

describe('every issue is named with its place', () => {
  test('all at once', () => {
    expect(
      issuesOf(`topics:
  shop.public.customer:
    entityType: ''
    subscriberId: { constant: acme }
    entityTitle: [ ]
    user: { id: { constant: ada }, nmae: x }
    snapshot: always
  no topic: {}
`),
    ).toEqual([
      'cdc.yaml:3:5: /topics/shop.public.customer/entityType: Too small: expected string to have >=1 characters',
      'cdc.yaml:4:5: /topics/shop.public.customer/subscriberId: The constant must be a UUID',
      'cdc.yaml:2:3: /topics/shop.public.customer/entityId: Required',
      'cdc.yaml:5:5: /topics/shop.public.customer/entityTitle: Too small: expected array to have >=1 items',
      'cdc.yaml:6:36: /topics/shop.public.customer/user/nmae: Unknown field',
      'cdc.yaml:6:13: /topics/shop.public.customer/user/id: The constant must be a UUID',
      'cdc.yaml:7:5: /topics/shop.public.customer/snapshot: Invalid option: expected one of "skip"|"record"',
      'cdc.yaml:8:3: /topics/no topic: Must be the name of a Kafka topic',
    ])
  })

  test.each([
    ['a broken file', 'topics: [', /^cdc\.yaml:1:10: /],
    ['a duplicate topic', `${valid}  shop.public.customer: {}`, /^cdc\.yaml:9:3: Map keys must be unique/],
    ['an empty file', '', /^cdc\.yaml:1:1: \/: /],
    ['a list', '- a', /^cdc\.yaml:1:1: \/: /],
    ['no topics', 'topics: {}', /^cdc\.yaml:1:1: \/topics: Must have at least one topic/],
    ['another field', `${valid}other: 1\n`, /^cdc\.yaml:9:1: \/other: Unknown field/],
    [
      'a redacted title',
      valid.replace('{ constant: Customer }', 'name').replace('ignore: [updated_at]', 'redact: [name]'),
      /^cdc\.yaml:6:5: \/topics\/shop\.public\.customer\/entityTitle: Must not be a redacted field/,
    ],
    [
      'a misspelt user',
      valid.replace('email:', 'emial:'),
      /^cdc\.yaml:7:29: \/topics\/shop\.public\.customer\/user\/emial: Unknown field/,
    ],
    [
      'an item of a list',
      valid.replace('[updated_at]', '[updated_at, 5]'),
      /^cdc\.yaml:8:26: \/topics\/shop\.public\.customer\/ignore\/1: /,
    ],
  ])('%s', (_name, text, expected) => {
    expect(issuesOf(text)).toEqual([expect.stringMatching(expected)])
  })

  test('an alias bomb is refused', () => {
    const bomb = [
      'a: &a [x, x]',
      ...Array.from('bcdefghijkl', (name, n) => `${name}: &${name} [*${'abcdefghijk'[n]}, *${'abcdefghijk'[n]}]`),
    ]
    expect(issuesOf(bomb.join('\n'))).toHaveLength(1)
  })

  test('a file that is not there', () => {
    expect(readMappingFile('/nowhere/cdc.yaml')).toEqual({
      ok: false,
      issues: ['/nowhere/cdc.yaml: Could not be read (ENOENT)'],
    })
  })
})
