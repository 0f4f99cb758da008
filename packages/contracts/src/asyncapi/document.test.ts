import { DiagnosticSeverity, Parser } from '@asyncapi/parser'
import { expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { announcedEventSchema, announcedEvents } from '../events/announced-events.ts'
import { events, exampleEvents } from '../events/events.ts'
import { createAsyncApiDocument } from './document.ts'

const document = JSON.parse(JSON.stringify(createAsyncApiDocument()))

test('is valid AsyncAPI 3', async () => {
  const { document: parsed, diagnostics } = await new Parser().parse(document)
  const found = diagnostics.filter(({ severity }) => severity <= DiagnosticSeverity.Warning)
  expect(found.map(({ code, path, message }) => [code, path.join('/'), message])).toEqual([])
  expect(parsed?.version()).toBe('3.0.0')
  const messages = parsed?.allMessages().all() ?? []
  expect(messages.map((message) => message.name())).toContain('herald.mention.created.v1')
})

test.each(Object.keys(document.components.messages))('has examples of %s that match its schemas', (name) => {
  const ajv = new Ajv({ strict: false, validateFormats: false }).addSchema(document, 'document')
  for (const part of ['headers', 'payload']) {
    const validate = ajv.compile({ $ref: `document#/components/messages/${name}/${part}` })
    for (const example of document.components.messages[name].examples ?? []) {
      validate(example[part])
      expect(validate.errors).toBeNull()
    }
    const mayBeEmpty = name === 'deadLetter' || (name.startsWith('captured') && part === 'headers')
    if (!mayBeEmpty) expect(validate({})).toBe(false)
  }
})

test('describes every event in both modes on its topic, with its limits', () => {
  for (const [name, { type, topic }] of Object.entries(events)) {
    const { messages, address } = document.channels[topic]
    expect(address).toBe(`${topic}-events`)
    expect(Object.keys(messages)).toEqual(expect.arrayContaining([name, `${name}Binary`]))
    expect(document.components.messages[name].payload.properties.type).toEqual({ type: 'string', const: type })
    expect(document.components.messages[`${name}Binary`].headers.required).toContain('ce_subscriberid')
  }
  const { properties, required } = document.components.schemas.MentionCreatedData
  expect(required).toHaveLength(8)
  expect(properties.actor.properties.name).toMatchObject({ type: 'string', maxLength: 200 })
  expect(properties.recipientIds).toMatchObject({ minItems: 1 })
  expect(properties.metadata.properties.mention.minProperties).toBe(3)
})

test('describes captured changes, whose topics only the mapping file knows', () => {
  const { address, messages, description } = document.channels.captured
  expect(address).toBeNull()
  expect(Object.keys(messages)).toEqual(['capturedChange'])
  for (const action of ['create', 'delete', 'update']) expect(description).toContain(`\`${action}\``)
  expect(document.operations['receive-captured'].channel.$ref).toBe('#/channels/captured')
})

test('describes the headers of a dead letter, also those that the record already had', () => {
  const { headers, summary } = document.components.messages.deadLetter
  expect(headers.required).toEqual(['herald-error-code', 'herald-error-detail'])
  expect(Object.keys(headers.properties)).toContain('herald-origin-offset')
  const [pattern = ''] = Object.keys(headers.patternProperties)
  for (const name of ['original-herald-error-code', 'original-original-herald-key-omitted'])
    expect(name).toMatch(new RegExp(pattern))
  expect('herald-error-code').not.toMatch(new RegExp(pattern))
  expect(summary).toContain('`original-`')
})

test.each(Object.entries(events))('has examples of %s that its schema parses unchanged', (_, { data, examples }) => {
  for (const example of Object.values(examples)) {
    expect(data.parse((example as { data: unknown }).data)).toEqual((example as { data: unknown }).data)
  }
})

test('describes every event that Herald sends, with examples that its schema parses', () => {
  const { messages, address } = document.channels.notification
  expect(address).toBe('notification-events')
  expect(Object.keys(messages)).toEqual(Object.keys(announcedEvents))
  expect(document.operations['send-notification']).toMatchObject({ action: 'send' })
  for (const event of Object.values(announcedEvents)) {
    for (const example of Object.values(exampleEvents(event))) {
      const { time, ...others } = announcedEventSchema.parse(example)
      expect({ ...others, time: new Date(time).toISOString().replace('.000Z', 'Z') }).toEqual(example)
    }
  }
})

test('every payload has a title, by which generators name its type', () => {
  const { messages, schemas } = document.components
  const titles = Object.entries(messages as Record<string, { payload: { $ref?: string; title?: string } }>).map(
    ([name, { payload }]) => {
      const schema = payload.$ref === undefined ? payload : schemas[payload.$ref.split('/').at(-1) ?? '']
      return [name, schema?.title]
    },
  )
  for (const [name, title] of titles) expect([name, title]).toEqual([name, expect.stringMatching(/^[A-Z]\w+$/)])
})
