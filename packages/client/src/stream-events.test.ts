import { expect, test } from '@jest/globals'
import { decodeEvent } from './stream-events.ts'

const upTo = '0190a6e0-7c1b-7def-8abc-000000000001'

test('decodes what was retracted: by ids, or in bulk', () => {
  expect(decodeEvent('retracted', JSON.stringify({ ids: [upTo] }))).toEqual({
    event: { type: 'retracted', ids: [upTo] },
  })
  expect(decodeEvent('retracted', JSON.stringify({ all: true, upTo }))).toEqual({
    event: { type: 'bulk-retracted', upTo },
  })
})

test('ignores events that it does not know', () => {
  expect(decodeEvent('news', '{}')).toBeUndefined()
})
