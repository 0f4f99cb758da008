import { expect } from '@jest/globals'
import type { Answer } from './http-client.ts'

type Problem = { detail: string; instance: string; errors: { pointer: string; detail: string }[] }

/** Looks at an answer as RFC 9457 and the contract's section 3 have it, and returns the document. */
export function expectProblem(answer: Answer, status: number, code: string): Problem {
  expect({ status: answer.status, ...(answer.json as object) }).toMatchObject({ status, code })
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/)
  const told = { type: expect.any(String), title: expect.any(String), detail: expect.any(String) }
  const { errors, ...document } = answer.json as Problem
  expect(document).toStrictEqual({ ...told, status, instance: expect.stringMatching(/./), code })
  if (code !== 'validation_failed') expect(errors).toBeUndefined()
  return answer.json as Problem
}

/** A validation's answer names exactly these places, each with a word about it. */
export function expectFaultsAt(answer: Answer, pointers: readonly string[]): void {
  const { errors } = expectProblem(answer, 400, 'validation_failed')
  for (const fault of errors) {
    expect(fault).toStrictEqual({ pointer: expect.any(String), detail: expect.stringMatching(/./) })
  }
  expect([...new Set(errors.map((fault) => fault.pointer))].sort()).toEqual([...pointers].sort())
}
