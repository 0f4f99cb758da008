import { expect, test } from '@jest/globals'
import { withIsoTimes } from './iso-times.ts'

const converted = (name: string, value: number | string | null) =>
  withIsoTimes({
    schema: { type: 'struct', fields: [{ type: 'int64', optional: true, name, field: 'a' }] },
    payload: { a: value, b: value },
  })

test.each<[string, number | string | null, string | number | null]>([
  ['io.debezium.time.Date', 20_483, '2026-01-30'],
  ['io.debezium.time.Date', -1, '1969-12-31'],
  ['io.debezium.time.Date', 2_932_897, '+010000-01-01'],
  ['io.debezium.time.Date', 200_000_000, 200_000_000],
  ['io.debezium.time.Timestamp', 1_769_848_200_120, '2026-01-31T08:30:00.12'],
  ['io.debezium.time.MicroTimestamp', 1_769_848_200_000_000, '2026-01-31T08:30:00'],
  ['io.debezium.time.MicroTimestamp', -1, '1969-12-31T23:59:59.999999'],
  ['io.debezium.time.NanoTimestamp', '1769848200000000001', '2026-01-31T08:30:00.000000001'],
  ['io.debezium.time.MicroTimestamp', '9223372036825200000', '9223372036825200000'],
  ['io.debezium.time.Time', 32_400_001, '09:00:00.001'],
  ['io.debezium.time.MicroTime', 32_400_000_000, '09:00:00'],
  ['io.debezium.time.MicroTime', 86_400_000_000, '24:00:00'],
  ['io.debezium.time.NanoTime', 1, '00:00:00.000000001'],
  ['io.debezium.time.MicroTime', -3_020_399_000_000, '-PT838H59M59S'],
  ['io.debezium.time.MicroTime', 90_061_500_000, 'PT25H1M1.5S'],
  ['io.debezium.time.MicroDuration', 5_400_000_000, 'PT1H30M'],
  ['io.debezium.time.MicroDuration', 0, 'PT0S'],
  ['io.debezium.time.NanoDuration', -1, '-PT0.000000001S'],
  ['io.debezium.time.Year', 2026, '2026'],
  ['io.debezium.time.ZonedTimestamp', '2026-01-31T08:30:00Z', '2026-01-31T08:30:00Z'],
  ['io.debezium.time.Interval', 'P1Y', 'P1Y'],
  ['org.apache.kafka.connect.data.Date', 20_483, '2026-01-30'],
  ['org.apache.kafka.connect.data.Time', 32_400_000, '09:00:00'],
  ['org.apache.kafka.connect.data.Timestamp', 1_769_848_200_000, '2026-01-31T08:30:00'],
  ['io.debezium.time.Date', null, null],
  ['constructor', 1, 1],
])('%s %j is %j', (name, value, expected) => {
  expect(converted(name, value)).toEqual({ a: expected, b: value })
})

test('dates in lists, maps and composite values are converted too', () => {
  const date = { type: 'int32', name: 'io.debezium.time.Date' }
  const fields = [
    { type: 'array', items: date, field: 'list' },
    { type: 'map', keys: { type: 'string' }, values: date, field: 'map' },
    { type: 'struct', fields: [{ ...date, field: 'day' }], field: 'composite' },
  ]
  const payload = { list: [0, null], map: { a: 1 }, composite: { day: 2, other: 3 } }
  expect(withIsoTimes({ schema: { type: 'struct', fields }, payload })).toEqual({
    list: ['1970-01-01', null],
    map: { a: '1970-01-02' },
    composite: { day: '1970-01-03', other: 3 },
  })
})

test('what has no schema stays as it is', () => {
  for (const json of [5, null, { a: 1 }, { schema: null, payload: { a: 1 } }]) {
    expect(withIsoTimes(json)).toEqual(typeof json === 'object' && json && 'schema' in json ? { a: 1 } : json)
  }
})
