import { createAsyncApiDocument, mappingSchema } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { createDecideCapturedChange } from './map/decide-captured-change.ts'
import { connectors } from './read/row-change.ts'

type Message = { readonly examples: readonly { readonly name: string; readonly payload: unknown }[] }

const { channels, components } = createAsyncApiDocument()
const names = Object.keys((channels.captured as { messages: object }).messages)
const examples = names.flatMap((name) =>
  (components.messages[name] as Message).examples.map((example) => [name, example.name, example.payload] as const),
)
const mapping = mappingSchema.parse({
  entityType: 'customer',
  subscriberId: 'tenant_id',
  entityId: 'id',
  entityTitle: 'name',
  user: { id: 'changed_by', derive: true },
  replicaIdentity: 'full',
})
const decide = createDecideCapturedChange(mapping)

test.each(examples)(
  '%s: the example %s of the AsyncAPI document becomes the entry that it describes',
  (_, name, payload) => {
    const record = {
      topic: 'shop.public.customer',
      partition: 0,
      offset: '0',
      timestamp: '0',
      headers: {},
      key: Buffer.from('{"id":7}'),
      value: Buffer.from(JSON.stringify(payload)),
    }
    const decision = decide(record, { now: new Date('2026-02-01T00:00:00Z') })
    const changedField = name === 'update' ? 'name' : ''
    expect(decision).toMatchObject({
      kind: 'change-entries',
      documents: [{ actionType: name, changedField, entityId: '7' }],
    })
  },
)

test('the AsyncAPI document names the connectors whose records are read', () => {
  const { CapturedChange } = components.schemas as { CapturedChange: { properties: { source: unknown } } }
  const { enum: documented } = (CapturedChange.properties.source as { properties: { connector: { enum: string[] } } })
    .properties.connector
  expect([...documented].sort()).toEqual([...connectors].sort())
})
