import { type EventDescription, events, type TopicKind } from '../events.ts'
import { faultCodes } from '../fault-codes.ts'
import { limits } from '../limits.ts'
import type { JsonSchema } from '../openapi/json-schemas.ts'
import { defaultTopics } from '../topics.ts'
import { dataSchemaOf, messagesOf } from './messages.ts'

export type AsyncApiDocument = {
  readonly asyncapi: '3.0.0'
  readonly channels: Readonly<Record<string, JsonSchema>>
  readonly components: { readonly messages: Readonly<Record<string, JsonSchema>>; readonly schemas: JsonSchema }
} & JsonSchema

const description = `What Herald reads from Kafka, as CloudEvents 1.0 in JSON, structured or binary.

The key of a record is the subscriber's id. \`source\`, \`id\` and \`time\` say which event it is: it counts once however often it comes, and a publisher that tries again sends all three as they were.
Attributes and fields of \`data\` that are not described are ignored. A value has at most ${limits.eventBytes} bytes and ${limits.eventLevels} levels; a key \`__proto__\` and lone surrogates are refused.
What can never succeed goes to the dead-letter topic as it was.`

const topicTitles: Readonly<Record<TopicKind, string>> = {
  mention: 'Mentions',
  change: 'Changes',
  receipt: 'Receipts for notifications',
}

/** The AsyncAPI 3.0 document of the topics, from the schemas that validate. */
export function createAsyncApiDocument(): AsyncApiDocument {
  const table: [string, EventDescription][] = Object.entries(events)
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
      deadLetter: {
        address: defaultTopics.deadLetter,
        title: 'Dead letters',
        messages: { deadLetter: reference('deadLetter') },
      },
    },
    operations: {
      ...Object.fromEntries(
        Object.keys(topicTitles).map((kind) => [`receive-${kind}`, { action: 'receive', channel: channel(kind) }]),
      ),
      'send-dead-letter': { action: 'send', channel: channel('deadLetter') },
    },
    components: {
      messages: { ...Object.assign({}, ...table.map(([name, event]) => messagesOf(name, event))), deadLetter },
      schemas: Object.fromEntries(table.map(([name, event]) => dataSchemaOf(name, event))),
    },
  }
}

const channel = (kind: string) => ({ $ref: `#/channels/${kind}` })
const reference = (message: string) => ({ $ref: `#/components/messages/${message}` })

function channelOf(kind: string, title: string, table: readonly [string, EventDescription][]): JsonSchema {
  const names = table.filter(([, { topic }]) => topic === kind).flatMap(([name]) => [name, `${name}Binary`])
  return {
    ...{ address: defaultTopics[kind as TopicKind], title },
    messages: Object.fromEntries(names.map((name) => [name, reference(name)])),
  }
}

const origin = (what: string) => ({ type: 'string', description: `The origin’s ${what}` })

const deadLetter: JsonSchema = {
  name: 'dead letter',
  title: 'A record that can never succeed',
  summary: 'Key, value and headers as they were, and why.',
  // Whatever it was.
  contentType: 'application/octet-stream',
  headers: {
    type: 'object',
    properties: {
      'herald-error-code': { type: 'string', enum: Object.keys(faultCodes) },
      'herald-error-detail': { type: 'string', description: `At most ${limits.deadLetterDetailBytes} bytes` },
      'herald-origin-topic': origin('topic'),
      'herald-origin-partition': origin('partition'),
      'herald-origin-offset': origin('offset'),
      'herald-origin-timestamp': origin('timestamp, in milliseconds since 1970'),
      'herald-value-omitted': { type: 'string', description: 'There when the value was too large to be kept' },
    },
    required: ['herald-error-code', 'herald-error-detail'],
  },
  payload: {},
}
