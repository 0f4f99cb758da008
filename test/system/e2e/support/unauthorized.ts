import { expect } from '@jest/globals'
import { guarded, type Operation } from './api-operations.ts'
import { send } from './http-client.ts'
import { expectProblem } from './problem.ts'

/** Asserts that these operations, by default all, return 401 with a problem document and a challenge. */
export async function expectUnauthorized(
  baseUrl: string,
  token: string | undefined,
  operations: readonly Operation[] = guarded,
): Promise<void> {
  expect(operations).not.toEqual([])
  const asked = operations.map(async ({ path, method, json }) => {
    const answer = await send(`${baseUrl}${path}`, { method, json, token })
    expect([method, path, answer.status]).toEqual([method, path, 401])
    expectProblem(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  })
  await Promise.all(asked)
}
