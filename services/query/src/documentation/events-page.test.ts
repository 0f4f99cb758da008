import { expect, test } from '@jest/globals'
import { proseHtml } from './events-page.ts'

test('escapes tags and attribute delimiters', () => {
  expect(proseHtml('<b a="1">&`x<y`')).toBe('&lt;b a=&quot;1&quot;&gt;&amp;<code>x&lt;y</code>')
})
