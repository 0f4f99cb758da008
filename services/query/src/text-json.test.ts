import { expect, test } from '@jest/globals'
import { textJson } from './text-json.ts'

test.each(['', 'Ada', 'Zoë 🔑 ключ', '"', '\\', '\u0000', '\u001f', '\n', '\u007f\u2028', 'a"b\\c\td'])(
  '%j',
  (text) => {
    expect(textJson(text)).toBe(JSON.stringify(text))
  },
)
