import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { HeraldEvent } from '../event.ts'
import { changeData, mentionData, subscriberId } from '../events.fixture.ts'
import { createEvents } from '../events.ts'
import { toMessage } from '../message.ts'
import { createPublisher } from '../publisher.ts'
import { expectValidEvent, type RecordingProducer, verifyPublisher } from '../testing.ts'

const events = createEvents({ source: '/comments' })
const time = '2026-01-31T09:30:00.000Z'
const mention = () => events.mentionCreated({ id: 'c-1', time, subscriberId }, mentionData())
const change = (id: string) => events.changeRecorded({ id, time, subscriberId }, changeData())

describe('expectValidEvent', () => {
  const message = toMessage(mention())
  test.each([
    ['no value', { ...message, value: null }, 'not_json'],
    ['no headers', { ...message, headers: {} }, 'not_cloudevent'],
    ['not JSON', { ...message, value: '{' }, 'not_json'],
    ['another key', { ...message, key: randomUUID() }, 'The key of the record'],
    ['no key', { ...message, key: null }, 'The key of the record'],
    ['an unknown type', { ...message, value: message.value.replace('created.v1', 'created.v9') }, '/type'],
    ['invalid data', { ...message, value: message.value.replace('"Ada"', '7') }, '/data/actor/name'],
    ['an invalid date', { ...message, value: message.value.replace(time, '2026-02-30') }, '/time'],
  ])('rejects %s', (_, broken, why) => {
    expect(() => expectValidEvent(broken)).toThrow(why)
  })

  test('accepts messages of other libraries, with buffers', () => {
    const bytes = { key: Buffer.from(message.key), value: Buffer.from(message.value) }
    expect(
      expectValidEvent({ ...bytes, headers: { 'content-type': Buffer.from('application/cloudevents+json') } }),
    ).toEqual(expectValidEvent(message))
  })
})

describe('headers as Kafka clients have them', () => {
  const published = mention()
  const message = toMessage(published)
  const binary = toMessage(published, { mode: 'binary' })
  const type = 'content-type'
  const bytes = Object.entries(binary.headers).map(([name, value]) => [Buffer.from(name), Buffer.from(value)] as const)
  test.each<[string, Parameters<typeof expectValidEvent>[0]]>([
    ['a Map', { ...message, headers: new Map([[type, 'application/cloudevents+json']]) }],
    ['a Map of buffers', { ...binary, headers: new Map(bytes) }],
    [
      'a list of objects with one key each',
      { ...binary, headers: Object.entries(binary.headers).map(([name, value]) => ({ [name]: Buffer.from(value) })) },
    ],
    ['a list of pairs', { ...binary, headers: bytes }],
    ['an object with lists', { ...message, headers: { [type]: ['application/cloudevents+json', 'other'] } }],
  ])('%s', (_name, sent) => {
    expect(expectValidEvent(sent)).toEqual(expectValidEvent(message))
  })

  test('a repeated header counts once, as its first value', () => {
    const headers = [{ [type]: 'application/cloudevents+json' }, { [type]: 'text/plain' }]
    expect(expectValidEvent({ ...message, headers })).toEqual(expectValidEvent(message))
  })

  test('none are as an empty object', () => {
    for (const headers of [undefined, null, [], new Map()]) {
      expect(() => expectValidEvent({ ...message, headers })).toThrow('structured event without content-type')
    }
  })

  test('a value that is an object has a reason of its own', () => {
    const value = { ...mention().data } as unknown as string
    expect(() => expectValidEvent({ ...binary, value })).toThrow('JSON.stringify')
  })
})

describe('verifyPublisher', () => {
  const publish = (...made: HeraldEvent[]) => ({
    publish: (producer: RecordingProducer) => createPublisher({ producer }).publish(...made),
  })

  test('returns the events of a valid publisher', async () => {
    const [first, second] = [mention(), change('p-1')]
    expect(await verifyPublisher(publish(first, second))).toEqual([first, second])
  })

  test.each([
    ['publishes nothing', () => [], 'nothing was published'],
    ['generates a new id each time', () => [change(randomUUID())], 'it is a different event'],
    ['publishes an event twice', () => [change('p-1'), change('p-1')], 'is published twice'],
  ])('reports a publisher that %s', async (_, make, finding) => {
    const verified = verifyPublisher({
      publish: (producer) => createPublisher({ producer }).publish(...make()),
    })
    await expect(verified).rejects.toThrow(finding)
  })

  test('reports records on the wrong topic and invalid records together', async () => {
    const verified = verifyPublisher({
      publish: (producer) =>
        producer.send({ topic: 'change-events', messages: [toMessage(mention()), { value: 'hello' }] }),
    })
    await expect(verified).rejects.toThrow(/record 1: .*mention-events, not on change-events[\s\S]*record 2: /)
  })
})
