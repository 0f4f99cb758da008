import { createTokenIssuer } from '@herald/token-issuer'
import { expect, test } from '@jest/globals'
import { createUsers, recipientsOf } from './recipients.ts'

test('the recipients of an event belong to one subscriber, and all users take turns', async () => {
  const users = await createUsers(await createTokenIssuer(), { groups: 4, recipients: 3, subscribers: 2 })
  const named = Array.from({ length: 4 }, (_, sequence) => recipientsOf(users, 3, sequence))
  expect(named.map((group) => new Set(group.map(({ subscriberId }) => subscriberId)).size)).toEqual([1, 1, 1, 1])
  expect(new Set(named.flat().map(({ userId }) => userId)).size).toBe(12)
  expect(recipientsOf(users, 3, 4)).toEqual(named[0])
})
