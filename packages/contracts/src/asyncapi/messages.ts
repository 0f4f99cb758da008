import { cloudEventAttributesSchema } from '../events/cloud-event.ts'
import { type EventDescription, exampleEvents } from '../events/events.ts'
import { type JsonSchema, jsonSchemaOf } from '../openapi/json-schemas.ts'

export type DescribedEvent = Omit<EventDescription, 'topic'>

const attributeNotes: Readonly<Record<string, string>> = {
  id: 'Unique within the source. Must stay the same when publishing is retried',
  source: 'Identifies the publisher',
  time: 'When the event occurred, from 1970 to at most 5 minutes in the future; becomes `createdAt`. Must stay the same when publishing is retried',
  subscriberid: 'The subscriber (tenant) that the event belongs to',
  datacontenttype: 'A JSON media type',
  traceparent: 'W3C Trace Context: the parent of the span that stores the event',
}

export const announcedAttributeNotes = {
  ...attributeNotes,
  id: 'The same for the same fact: repeated deliveries are recognized by it',
  source: 'The setting EVENT_SOURCE',
  time: 'When the notification was created or retracted, or since when it has been unread for the configured time',
  subscriberid: 'The subscriber (tenant) of the notification',
  traceparent: 'W3C Trace Context: that of the event or request that created or retracted the notification',
}

function attributesOf({ type }: DescribedEvent, notes = attributeNotes) {
  const { properties, required = [] } = jsonSchemaOf(cloudEventAttributesSchema, 'draft-7')
  const described = Object.entries(properties).map(([name, schema]) => [name, { ...schema, description: notes[name] }])
  return { required, properties: { ...Object.fromEntries(described), type: { type: 'string', const: type } } }
}

const key = {
  type: 'string',
  format: 'uuid',
  description: 'The subscriber’s id; events with the same key are processed in order',
}
const bindings = { kafka: { key, bindingVersion: '0.5.0' } }

export function structured(name: string, event: DescribedEvent, notes = attributeNotes): JsonSchema {
  const contentType = 'application/cloudevents+json'
  const { properties, required } = attributesOf(event, notes)
  return {
    name: event.type,
    title: event.title,
    summary: event.summary,
    contentType,
    bindings,
    headers: {
      type: 'object',
      properties: { 'content-type': { type: 'string', description: `\`${contentType}\`, in UTF-8` } },
      required: ['content-type'],
    },
    payload: {
      type: 'object',
      title: titleOf(name),
      properties: { ...properties, data: dataReference(name) },
      required: [...required, 'data'],
    },
    examples: Object.entries(exampleEvents(event)).map(([example, payload]) => ({
      name: example,
      headers: { 'content-type': contentType },
      payload,
    })),
  }
}

export function binary(name: string, event: DescribedEvent): JsonSchema {
  const { properties, required } = attributesOf(event)
  return {
    name: `${event.type} (binary)`,
    title: `${event.title}, in binary mode`,
    summary: event.summary,
    contentType: 'application/json',
    bindings,
    headers: { type: 'object', properties: toHeaders(properties), required: required.map((one) => `ce_${one}`) },
    payload: dataReference(name),
    examples: Object.entries(exampleEvents(event)).map(([example, { data, ...attributes }]) => ({
      name: example,
      headers: toHeaders(attributes),
      payload: data,
    })),
  }
}

function toHeaders({ datacontenttype, ...attributes }: Readonly<Record<string, unknown>>) {
  const inHeaders = Object.entries(attributes).map(([name, value]) => [`ce_${name}`, value])
  return { 'content-type': datacontenttype, ...Object.fromEntries(inHeaders) }
}

export function dataSchemaOf(name: string, event: DescribedEvent): [string, JsonSchema] {
  return [dataName(name), { title: dataName(name), ...jsonSchemaOf(event.data, 'draft-7') }]
}

/** Generators name the types of payloads by it. */
const titleOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const dataName = (name: string) => `${titleOf(name)}Data`
const dataReference = (name: string) => ({ $ref: `#/components/schemas/${dataName(name)}` })
