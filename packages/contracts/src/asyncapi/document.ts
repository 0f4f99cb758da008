import { deadLetterReasons } from '../base/dead-letter-reasons.ts'
import { jsonValueSchema } from '../base/json-safety.ts'
import { limits } from '../base/limits.ts'
import { announcedEvents } from '../events/announced-events.ts'
import { defaultTopics, type EventDescription, events, type TopicKind } from '../events/events.ts'
import type { JsonSchema } from '../openapi/json-schemas.ts'
import { capturedChanges } from './captured-changes.ts'
import { announcedAttributeNotes, binary, type DescribedEvent, dataSchemaOf, structured } from './messages.ts'

export type AsyncApiDocument = ReturnType<typeof createAsyncApiDocument>

const description = `The events that Herald consumes from Kafka, and those that it sends: CloudEvents 1.0 in JSON, in structured or binary mode.

The key of a record is the subscriber's id. \`source\`, \`id\` and \`time\` identify the event: it is stored once however often it is delivered, and a publisher that retries must send all three unchanged.
Unknown attributes and unknown fields of \`data\` are ignored. A value has at most ${limits.eventBytes} bytes and ${limits.eventLevels} levels of nesting; the key \`__proto__\` and lone surrogates are rejected.
Records that cannot be processed are sent unchanged to the dead-letter topic.
With the setting \`CDC_MAPPINGS\` Herald also reads captured changes of databases: the records of Debezium's connectors.

If a topic of announcements is configured, Herald sends what happens to notifications: in structured mode, at least once, in no particular order. Repeated events have the same \`id\` and \`time\`.`

const topicTitles: Readonly<Record<TopicKind, string>> = {
  mention: 'Mentions',
  change: 'Changes',
  receipt: 'Receipts for notifications',
  privacy: 'Erasures of persons',
}

/** Creates the AsyncAPI 3.0 document of the topics from the schemas that validate events. */
export function createAsyncApiDocument() {
  const table: [string, EventDescription][] = Object.entries(events)
  const announced: [string, DescribedEvent][] = Object.entries(announcedEvents)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Herald events',
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: {
      ...Object.fromEntries(Object.entries(topicTitles).map(([kind, title]) => [kind, channelOf(kind, title, table)])),
      captured: capturedChanges.channel,
      deadLetter: {
        address: defaultTopics.deadLetter,
        title: 'Dead letters',
        messages: { deadLetter: reference('deadLetter') },
      },
      notification: {
        address: defaultTopics.notification,
        title: 'Announcements of notifications',
        messages: Object.fromEntries(announced.map(([name]) => [name, reference(name)])),
      },
    },
    operations: {
      ...Object.fromEntries(
        Object.keys(topicTitles).map((kind) => [`receive-${kind}`, { action: 'receive', channel: channel(kind) }]),
      ),
      'receive-captured': { action: 'receive', channel: channel('captured') },
      'send-dead-letter': { action: 'send', channel: channel('deadLetter') },
      'send-notification': { action: 'send', channel: channel('notification') },
    },
    components: {
      messages: {
        ...Object.fromEntries(table.map(([name, event]) => [name, structured(name, event)])),
        ...Object.fromEntries(table.map(([name, event]) => [`${name}Binary`, binary(name, event)])),
        ...Object.fromEntries(
          announced.map(([name, event]) => [name, structured(name, event, announcedAttributeNotes)]),
        ),
        capturedChange: capturedChanges.message,
        deadLetter,
      },
      schemas: {
        ...Object.fromEntries([...table, ...announced].map(([name, event]) => dataSchemaOf(name, event))),
        JsonValue: jsonValueSchema,
      },
    },
  }
}

const channel = (kind: string) => ({ $ref: `#/channels/${kind}` })
const reference = (message: string) => ({ $ref: `#/components/messages/${message}` })

function channelOf(kind: string, title: string, table: readonly [string, EventDescription][]): JsonSchema {
  const names = table.filter(([, { topic }]) => topic === kind).flatMap(([name]) => [name, `${name}Binary`])
  return {
    address: defaultTopics[kind as TopicKind],
    title,
    messages: Object.fromEntries(names.map((name) => [name, reference(name)])),
  }
}

const deadLetterHeaders = {
  'herald-error-detail': `At most ${limits.deadLetterDetailBytes} bytes`,
  'herald-origin-topic': 'The original topic',
  'herald-origin-partition': 'The original partition',
  'herald-origin-offset': 'The original offset',
  'herald-origin-timestamp': 'The original timestamp, in milliseconds since 1970',
  'herald-origin-last-offset': 'The original offset of the last of several records that could not be read',
  'herald-value-omitted': 'Present if the value had to be left out; the size in bytes, or "unknown"',
  'herald-headers-omitted': 'Present if the headers had to be left out; the size in bytes, or "unknown"',
  'herald-key-omitted': 'Present if the key had to be left out; the size in bytes, or "unknown"',
  'herald-redacted-changes':
    'Only of captured changes whose mapping redacts fields: their values are `"[redacted]"`, and this JSON array names those that had changed',
}

const deadLetter: JsonSchema = {
  name: 'dead letter',
  title: 'A record that cannot be processed',
  summary:
    'The original key, value and headers, with the reason in additional headers. Original headers that already have such a name get the prefix `original-`.',
  // The original content type is unknown.
  contentType: 'application/octet-stream',
  headers: {
    type: 'object',
    properties: {
      'herald-error-code': { type: 'string', enum: Object.keys(deadLetterReasons) },
      ...Object.fromEntries(
        Object.entries(deadLetterHeaders).map(([name, description]) => [name, { type: 'string', description }]),
      ),
    },
    patternProperties: {
      '^(original-)+herald-': { type: 'string', description: 'An original header that already had such a name' },
    },
    required: ['herald-error-code', 'herald-error-detail'],
  },
  payload: { title: 'DeadLetter', description: 'The original value, unchanged' },
}
