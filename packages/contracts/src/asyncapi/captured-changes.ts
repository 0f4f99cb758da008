const channelDescription = `Records of Debezium's connectors for PostgreSQL, MariaDB, MySQL and MongoDB, on the topics that the file of \`CDC_MAPPINGS\` maps to change entries; none if it is not set.

\`c\` and \`d\` become one entry with the \`actionType\` \`create\` or \`delete\`, an empty \`changedField\` and the whole row as a state; \`u\` becomes an \`update\` for each changed top-level field, and none if no field has changed; \`r\` (snapshot) becomes a \`create\` if the mapping records snapshots. Subscriber, user and entity are taken from the row, as the mapping says. The ids are derived from the position of the change in the database's log, so a record that a connector delivers again makes no further entries.

Skipped are tombstones (records without a value), truncates, messages, the begin and end of transactions, schema changes and heartbeats. Unwrapped rows (\`ExtractNewRecordState\`) are dead letters. Numbers that a double does not give back become strings of their digits; with schemas, dates and times become ISO 8601.`

/** The channel of captured changes, whose topics the mapping file names, and its message, which Debezium documents. */
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
      'Debezium’s envelope in JSON. It may be wrapped in `schema` and `payload` (`value.converter.schemas.enable=true`), or be a CloudEvent of Debezium’s `CloudEventsConverter`. The key is the primary key of the row, as the connector writes it.',
    contentType: 'application/json',
    headers: {
      type: 'object',
      properties: { traceparent: { type: 'string', description: 'W3C Trace Context' } },
    },
    payload: {
      type: 'object',
      title: 'CapturedChange',
      properties: {
        op: {
          type: 'string',
          description: 'Create, update, delete, read by a snapshot; truncate and message are skipped',
        },
        source: { type: 'object', description: 'Names the connector and the table, and has the position and the time' },
      },
      required: ['op', 'source'],
    },
  },
}
