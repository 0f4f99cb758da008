import { expect } from '@jest/globals'
import type { Answer } from './http-client.ts'

type Problem = { detail: string; instance: string; errors: { pointer: string; detail: string }[] }

/** Asserts a problem document (RFC 9457, contract section 3) and returns it. */
export function expectProblem(answer: Answer, status: number, code: string): Problem {
  expect({ status: answer.status, ...(answer.json as object) }).toMatchObject({ status, code })
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/)
  const texts = { type: expect.any(String), title: expect.any(String), detail: expect.any(String) }
  const { errors, ...document } = answer.json as Problem
  expect(document).toStrictEqual({ ...texts, status, instance: expect.stringMatching(/./), code })
  if (code !== 'validation_failed') expect(errors).toBeUndefined()
  return answer.json as Problem
}

/** Asserts a validation problem that reports exactly these pointers, each with a detail. */
export function expectValidationIssues(answer: Answer, pointers: readonly string[]): void {
  const { errors } = expectProblem(answer, 400, 'validation_failed')
  for (const issue of errors) {
    expect(issue).toStrictEqual({ pointer: expect.any(String), detail: expect.stringMatching(/./) })
  }
  expect([...new Set(errors.map((issue) => issue.pointer))].sort()).toEqual([...pointers].sort())
}
