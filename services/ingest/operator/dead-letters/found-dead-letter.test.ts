import { expect, test } from '@jest/globals'
import { recordOf } from '#ingest/events/records.fixture'
import { toOutgoingRecord } from '#ingest/produce/dead-letter'
import { toFoundDeadLetter } from './found-dead-letter.ts'

const ofPublisher = {
  'herald-error-code': Buffer.from('future_time'),
  'herald-origin-topic': Buffer.from('privacy-events'),
  'herald-value-omitted': Buffer.from('7'),
  'herald-key-omitted': [Buffer.from('1'), Buffer.from('2')],
  'original-herald-headers-omitted': Buffer.from('x'),
  'herald-tenant': Buffer.from('own'),
}

test('headers that a publisher named like those of a dead letter say nothing about it, and are replayed as they were', () => {
  const record = recordOf('x', ofPublisher)
  const letter = toOutgoingRecord({ record, code: 'not_json', detail: 'The value is not JSON' })
  const found = toFoundDeadLetter({ ...record, ...letter })
  expect(found).toMatchObject({ code: 'not_json', topic: 'mention-events', omitted: [] })
  expect(found.original).toEqual({ key: record.key, value: record.value, headers: ofPublisher })
})

test('neither when the letter fails again', () => {
  let record = recordOf('x', ofPublisher)
  for (let round = 0; round < 3; round++) {
    record = { ...record, ...toOutgoingRecord({ record, code: 'not_json', detail: '' }) }
  }
  for (let round = 0; round < 3; round++) record = { ...record, ...toFoundDeadLetter(record).original }
  expect(record.headers).toEqual(ofPublisher)
})

test('names the parts that Herald omitted', () => {
  const record = recordOf('x'.repeat(1_000), ofPublisher)
  const letter = toOutgoingRecord({ record, code: 'not_json', detail: '' }, 900)
  expect(toFoundDeadLetter({ ...record, ...letter }).omitted).toEqual(['value'])
})
