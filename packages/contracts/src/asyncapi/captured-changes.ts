import type { JsonSchema } from '../openapi/json-schemas.ts'

const channelDescription = `Records of Debezium's connectors for PostgreSQL, MariaDB, MySQL and MongoDB, on the topics that the file of \`CDC_MAPPINGS\` maps to change entries; none if it is not set.

\`c\` and \`d\` become one entry with the \`actionType\` \`create\` or \`delete\`, an empty \`changedField\` and the whole row as a state; \`u\` becomes an \`update\` for each changed top-level field, and none if no field has changed; \`r\` (snapshot) becomes a \`create\` if the mapping records snapshots. Subscriber, user and entity are taken from the row, as the mapping says. The ids are derived from the position of the change in the database's log, so a record that a connector delivers again makes no further entries.

Skipped are tombstones (records without a value), truncates, messages, the begin and end of transactions, schema changes and heartbeats. Unwrapped rows (\`ExtractNewRecordState\`) are dead letters. Integers that a double cannot hold become strings of their digits.`

const text = { type: 'string' }
const nullableText = { type: ['string', 'null'] }
const integer = { type: 'integer' }
const rowDescription = 'An object of its fields; for MongoDB a string of extended JSON; `null` if there is none'
const row = (description: string) => ({ type: ['object', 'string', 'null'], description })

const operation = {
  type: 'string',
  enum: ['c', 'u', 'd', 'r', 't', 'm'],
  description: 'Create, update, delete, read by a snapshot; truncate and message are skipped',
}
const connector = { type: 'string', enum: ['postgresql', 'mariadb', 'mysql', 'mongodb'] }

const source: JsonSchema = {
  type: 'object',
  properties: {
    connector,
    name: { ...text, description: 'The logical name of the connector, `topic.prefix`' },
    db: text,
    schema: { ...nullableText, description: 'PostgreSQL' },
    table: { ...nullableText, description: 'For MongoDB, `collection`' },
    collection: nullableText,
    ts_ms: { ...integer, description: 'When the change was made, in milliseconds since 1970; becomes `createdAt`' },
    lsn: { ...integer, description: 'PostgreSQL: the position' },
    file: { ...text, description: 'MariaDB, MySQL: the position is `file`, `pos` and `row`' },
    pos: integer,
    row: integer,
    ord: { ...integer, description: 'MongoDB: the position is `ts_ms`, `ord`, `lsid` and `txnNumber`' },
    lsid: nullableText,
    txnNumber: { type: ['integer', 'null'] },
  },
  required: ['connector', 'name', 'db', 'ts_ms'],
}

const envelope: JsonSchema = {
  type: 'object',
  properties: {
    op: operation,
    before: row(`The row before the change. ${rowDescription}`),
    after: row(`The row after the change. ${rowDescription}`),
    source,
    transaction: {
      type: ['object', 'null'],
      description: 'Written with `provide.transaction.metadata`; required within transactions of MongoDB',
      properties: { id: text, total_order: integer },
    },
  },
  required: ['op', 'source'],
}

const wrapped: JsonSchema = {
  type: 'object',
  properties: {
    schema: { type: 'object', description: 'The schema of the converter; ignored' },
    payload: envelope,
  },
  required: ['schema', 'payload'],
}

const cloudEvent: JsonSchema = {
  type: 'object',
  properties: {
    specversion: { type: 'string', const: '1.0' },
    id: { ...text, description: 'Not used, because rows of one statement share it' },
    iodebeziumop: operation,
    iodebeziumconnector: connector,
    iodebeziumname: text,
    iodebeziumdb: text,
    iodebeziumschema: nullableText,
    iodebeziumtable: nullableText,
    iodebeziumtsms: { ...text, description: 'The fields of `source` are strings' },
    iodebeziumlsn: text,
    data: {
      type: 'object',
      properties: { before: row(rowDescription), after: row(rowDescription) },
      description: 'May be wrapped in `schema` and `payload`',
    },
  },
  required: ['specversion', 'iodebeziumop', 'iodebeziumconnector', 'iodebeziumname', 'iodebeziumdb', 'data'],
}

const customer = { id: 7, tenant_id: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9', name: 'Growth', changed_by: 'ada' }
const position = { ts_ms: 1769851800000, lsn: 26780400 }
const table = { connector: 'postgresql', name: 'shop', db: 'shop', schema: 'public', table: 'customer' }
const update = {
  op: 'u',
  before: { ...customer, name: 'Old' },
  after: customer,
  source: { ...table, ...position },
  transaction: null,
}
const created = { ...update, op: 'c', before: null }
const deleted = { ...update, op: 'd', before: customer, after: null }
const asCloudEvent = {
  ...{ specversion: '1.0', id: 'name:shop;lsn:26780400', source: '/debezium/postgresql/shop' },
  ...{ type: 'io.debezium.connector.postgresql.DataChangeEvent', time: '2026-01-31T09:30:00.000Z' },
  ...{ iodebeziumop: 'u', iodebeziumtsms: String(position.ts_ms), iodebeziumlsn: String(position.lsn) },
  ...Object.fromEntries(Object.entries(table).map(([name, value]) => [`iodebezium${name}`, value])),
  data: { before: update.before, after: update.after },
}

type Form = { readonly title: string; readonly summary: string; readonly contentType: string }

const message = ({ title, summary, contentType }: Form, payload: string, examples: Record<string, object>) => ({
  ...{ name: title, title, summary, contentType },
  bindings: {
    kafka: {
      key: { type: ['object', 'null'], description: 'The primary key of the row, as the connector writes it' },
      bindingVersion: '0.5.0',
    },
  },
  headers: { type: 'object', properties: { traceparent: { ...text, description: 'W3C Trace Context' } } },
  payload: { $ref: `#/components/schemas/${payload}` },
  examples: Object.entries(examples).map(([name, example]) => ({ name, headers: {}, payload: example })),
})

const messages: Readonly<Record<string, JsonSchema>> = {
  capturedChange: message(
    {
      title: 'Captured change',
      summary: 'Debezium’s envelope in JSON without a schema (`value.converter.schemas.enable=false`).',
      contentType: 'application/json',
    },
    'CapturedChange',
    { update, create: created, delete: deleted },
  ),
  capturedChangeWithSchema: message(
    {
      title: 'Captured change, with its schema',
      summary: 'The same with `value.converter.schemas.enable=true`; the key has the same form.',
      contentType: 'application/json',
    },
    'CapturedChangeWithSchema',
    { update: { schema: { type: 'struct', fields: [], name: 'shop.public.customer.Envelope' }, payload: update } },
  ),
  capturedChangeCloudEvent: message(
    {
      title: 'Captured change, as a CloudEvent',
      summary: 'As Debezium’s `CloudEventsConverter` writes it, in JSON.',
      contentType: 'application/cloudevents+json',
    },
    'CapturedChangeCloudEvent',
    { update: asCloudEvent },
  ),
}

/** The channel of captured changes, its messages and their schemas. Its topics are named by the mapping file. */
export const capturedChanges = {
  channel: {
    address: null,
    title: 'Captured changes',
    description: channelDescription,
    messages: Object.fromEntries(
      Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
  },
  messages,
  schemas: { CapturedChange: envelope, CapturedChangeWithSchema: wrapped, CapturedChangeCloudEvent: cloudEvent },
} as const
