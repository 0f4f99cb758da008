import { expect, test } from '@jest/globals'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { HeraldChangeLog, HeraldInbox } from './index.ts'

test('renders on a server, where there is no stream', () => {
  const inbox = createElement(HeraldInbox, { theme: 'dark', locale: 'de', token: 'secret', onError: () => {} })
  expect(renderToString(inbox)).toBe('<herald-inbox theme="dark" locale="de"></herald-inbox>')
  expect(renderToString(createElement(HeraldChangeLog, { className: 'wide' }))).toBe(
    '<herald-change-log class="wide"></herald-change-log>',
  )
})
