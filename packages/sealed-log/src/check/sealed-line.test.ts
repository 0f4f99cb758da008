import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { isErasedUser } from './sealed-line.ts'

/** The change log in the browser decides it too, and is tested with the same users. */
const shared = new URL('../../../web-components/src/change-log/erased-users.json', import.meta.url)
const users: readonly { user: unknown; isErased: boolean }[] = JSON.parse(readFileSync(shared, 'utf8'))

test.each(users)('decides whether an erasure left %j', ({ user, isErased }) => {
  expect(isErasedUser(user)).toBe(isErased)
})
