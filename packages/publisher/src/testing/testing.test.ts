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
    ['a type of nobody’s', { ...message, value: message.value.replace('created.v1', 'created.v9') }, '/type'],
    ['data that do not fit', { ...message, value: message.value.replace('"Ada"', '7') }, '/data/actor/name'],
    ['a date that is none', { ...message, value: message.value.replace(time, '2026-02-30') }, '/time'],
  ])('refuses %s', (_, broken, why) => {
    expect(() => expectValidEvent(broken)).toThrow(why)
  })

  test('takes what another library made, bytes and all', () => {
    const bytes = { key: Buffer.from(message.key), value: Buffer.from(message.value) }
    expect(
      expectValidEvent({ ...bytes, headers: { 'content-type': Buffer.from('application/cloudevents+json') } }),
    ).toEqual(expectValidEvent(message))
  })
})

describe('verifyPublisher', () => {
  const publish = (...made: HeraldEvent[]) => ({
    publish: (producer: RecordingProducer) => createPublisher({ producer }).publish(...made),
  })

  test('lets a good publisher pass, and gives its events', async () => {
    const [first, second] = [mention(), change('p-1')]
    expect(await verifyPublisher(publish(first, second))).toEqual([first, second])
  })

  test.each([
    ['publishes nothing', () => [], 'nothing was published'],
    ['makes up an id each time', () => [change(randomUUID())], 'it is another event'],
    ['publishes an event twice', () => [change('p-1'), change('p-1')], 'is published twice'],
  ])('finds one that %s', async (_, make, finding) => {
    const verified = verifyPublisher({
      publish: (producer) => createPublisher({ producer }).publish(...make()),
    })
    await expect(verified).rejects.toThrow(finding)
  })

  test('finds what is on the wrong topic, or not valid, and tells all of it', async () => {
    const verified = verifyPublisher({
      publish: (producer) =>
        producer.send({ topic: 'change-events', messages: [toMessage(mention()), { value: 'hello' }] }),
    })
    await expect(verified).rejects.toThrow(/record 1: .*mention-events, not on change-events[\s\S]*record 2: /)
  })
})
