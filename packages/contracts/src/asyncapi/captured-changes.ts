import type { JsonSchema } from '../openapi/json-schemas.ts'

const channelDescription = `Records of Debezium's connectors for PostgreSQL, MariaDB, MySQL and MongoDB, on the topics that the file of \`CDC_MAPPINGS\` maps to change entries; none if it is not set.

\`c\` and \`d\` become one entry with the \`actionType\` \`create\` or \`delete\`, an empty \`changedField\` and the whole row as a state; \`u\` becomes an \`update\` for each changed top-level field, and none if no field has changed; \`r\` (snapshot) becomes a \`create\` if the mapping records snapshots. Subscriber, user and entity are taken from the row, as the mapping says. The ids are derived from the position of the change in the database's log, so a record that a connector delivers again makes no further entries.

Skipped are tombstones (records without a value), truncates, messages, the begin and end of transactions, schema changes and heartbeats. Unwrapped rows (\`ExtractNewRecordState\`) are dead letters. Integers that a double cannot hold become strings of their digits.`

const text = { type: 'string' }
const row = (when: string) => ({
  type: ['object', 'string', 'null'],
  description: `The row ${when} the change: an object of its fields; for MongoDB a string of extended JSON; \`null\` if there is none`,
})

/** The fields of Debezium's envelope that every record has. */
const envelope: JsonSchema = {
  type: 'object',
  properties: {
    op: {
      ...text,
      enum: ['c', 'u', 'd', 'r', 't', 'm'],
      description: 'Create, update, delete, read by a snapshot; truncate and message are skipped',
    },
    before: row('before'),
    after: row('after'),
    source: {
      type: 'object',
      description:
        'Also names the table, and has the position: `lsn` of PostgreSQL; `file`, `pos` and `row` of MariaDB and MySQL; `ts_ms`, `ord`, `lsid` and `txnNumber` of MongoDB',
      properties: {
        connector: { ...text, enum: ['postgresql', 'mariadb', 'mysql', 'mongodb'] },
        name: { ...text, description: 'The logical name of the connector, `topic.prefix`' },
        db: text,
        ts_ms: { type: 'integer', description: 'When the change was made, in milliseconds since 1970; `createdAt`' },
      },
      required: ['connector', 'name', 'db', 'ts_ms'],
    },
    transaction: {
      type: ['object', 'null'],
      description: 'Written with `provide.transaction.metadata`; required within transactions of MongoDB',
      properties: { id: text, total_order: { type: 'integer' } },
    },
  },
  required: ['op', 'source'],
}

const customer = { id: 7, tenant_id: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9', name: 'Growth', changed_by: 'ada' }
const table = { connector: 'postgresql', name: 'shop', db: 'shop', schema: 'public', table: 'customer' }
const update = {
  op: 'u',
  before: { ...customer, name: 'Old' },
  after: customer,
  source: { ...table, ts_ms: 1769851800000, lsn: 26780400 },
  transaction: null,
}
const examples = {
  update,
  create: { ...update, op: 'c', before: null },
  delete: { ...update, op: 'd', before: customer, after: null },
}

/** The channel of captured changes, whose topics the mapping file names, and its message, which Debezium defines. */
export const capturedChanges = {
  channel: {
    address: null,
    title: 'Captured changes',
    description: channelDescription,
    messages: { capturedChange: { $ref: '#/components/messages/capturedChange' } },
  },
  message: {
    name: 'Captured change',
    title: 'Captured change',
    summary:
      'Debezium’s envelope in JSON. It may be wrapped in `schema` and `payload` (`value.converter.schemas.enable=true`), or be a CloudEvent of Debezium’s `CloudEventsConverter`.',
    contentType: 'application/json',
    bindings: {
      kafka: {
        key: { type: ['object', 'null'], description: 'The primary key of the row, as the connector writes it' },
        bindingVersion: '0.5.0',
      },
    },
    headers: { type: 'object', properties: { traceparent: { ...text, description: 'W3C Trace Context' } } },
    payload: { $ref: '#/components/schemas/CapturedChange' },
    examples: Object.entries(examples).map(([name, payload]) => ({ name, headers: {}, payload })),
  },
  schema: envelope,
}
