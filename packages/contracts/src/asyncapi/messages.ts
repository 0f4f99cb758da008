import type { z } from 'zod'
import { cloudEventAttributesSchema } from '../cloud-event.ts'
import type { EventDescription } from '../events.ts'
import { type JsonSchema, jsonSchemaOf } from '../openapi/json-schemas.ts'

/** The parts of an event that its messages show. */
export type DescribedEvent = Omit<EventDescription, 'topic'>

const text = { type: 'string' }
const attributeNotes: Readonly<Record<string, string>> = {
  id: 'Unique within the source. Must stay the same when publishing is retried',
  source: 'Identifies the publisher',
  time: 'When the event occurred, from 1970 to at most 5 minutes in the future; becomes `createdAt`. Must stay the same when publishing is retried',
  subscriberid: 'The subscriber (tenant) that the event belongs to',
  datacontenttype: 'A JSON media type',
  traceparent: 'W3C Trace Context: the parent of the span that stores the event',
}

const announcedAttributeNotes: Readonly<Record<string, string>> = {
  ...{ id: 'The same for the same fact: repeated deliveries are recognized by it', source: 'The setting EVENT_SOURCE' },
  time: 'When the notification was created or retracted, or since when it has been unread for the configured time',
  subscriberid: 'The subscriber (tenant) of the notification',
  traceparent: 'W3C Trace Context: that of the event or request that created or retracted the notification',
}

/** The message of an event that Herald sends, which is always in structured mode. */
export function announcedMessageOf(name: string, event: DescribedEvent): Record<string, JsonSchema> {
  return { [name]: structured(name, event, { ...attributeNotes, ...announcedAttributeNotes }) }
}

/** The messages of an event in both modes, by their names in the document. */
export function messagesOf(name: string, event: DescribedEvent): Record<string, JsonSchema> {
  return { [name]: structured(name, event), [`${name}Binary`]: binary(name, event) }
}

/** The JSON Schemas of the attributes of an event. */
function attributesOf({ type }: DescribedEvent, notes = attributeNotes): Record<string, JsonSchema> {
  const { properties } = jsonSchemaOf(cloudEventAttributesSchema, 'draft-7') as {
    properties: Record<string, JsonSchema>
  }
  const described = Object.entries(properties).map(([name, schema]) => {
    const description = notes[name]
    return [name, { ...schema, ...(description ? { description } : {}) }]
  })
  return { ...Object.fromEntries(described), type: { type: 'string', const: type } }
}

const required = ['specversion', 'id', 'source', 'type', 'time', 'subscriberid']
const key = {
  type: 'string',
  format: 'uuid',
  description: 'The subscriber’s id; events with the same key are processed in order',
}
const bindings = { kafka: { key, bindingVersion: '0.5.0' } }

function structured(name: string, event: DescribedEvent, notes = attributeNotes): JsonSchema {
  const contentType = 'application/cloudevents+json'
  return {
    ...{ name: event.type, title: event.title, summary: event.summary, contentType, bindings },
    headers: {
      type: 'object',
      properties: { 'content-type': { ...text, description: `\`${contentType}\`, in UTF-8` } },
      required: ['content-type'],
    },
    payload: {
      type: 'object',
      properties: { ...attributesOf(event, notes), data: { $ref: `#/components/schemas/${dataName(name)}` } },
      required: [...required, 'data'],
    },
    examples: Object.entries(event.examples).map(([example, payload]) => ({
      ...{ name: example, headers: { 'content-type': contentType }, payload },
    })),
  }
}

function binary(name: string, event: DescribedEvent): JsonSchema {
  const { datacontenttype: _, ...attributes } = attributesOf(event)
  const inHeaders = Object.entries(attributes).map(([attribute, schema]) => [`ce_${attribute}`, schema])
  return {
    ...{ name: `${event.type} (binary)`, title: `${event.title}, in binary mode`, summary: event.summary },
    ...{ contentType: 'application/json', bindings },
    headers: {
      type: 'object',
      properties: { 'content-type': { ...text, description: 'A JSON media type' }, ...Object.fromEntries(inHeaders) },
      required: required.map((attribute) => `ce_${attribute}`),
    },
    payload: { $ref: `#/components/schemas/${dataName(name)}` },
    examples: Object.entries(event.examples).map(([example, { data, datacontenttype, ...eventAttributes }]) => ({
      name: example,
      headers: {
        'content-type': datacontenttype,
        ...Object.fromEntries(Object.entries(eventAttributes).map(([attribute, value]) => [`ce_${attribute}`, value])),
      },
      payload: data,
    })),
  }
}

/** The schema of an event's data, with its name in the document. */
export function dataSchemaOf(name: string, event: DescribedEvent): [string, JsonSchema] {
  return [dataName(name), jsonSchemaOf(event.data as z.ZodType, 'draft-7')]
}

const dataName = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Data`
