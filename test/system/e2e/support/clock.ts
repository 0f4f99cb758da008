import { expect } from '@jest/globals'

/** Expects a serialized time of now, roughly: the services have the clock of MongoDB, and a busy process reads it late. */
export const expectNow = (text: string | null) =>
  expect(Math.abs(Date.now() - Date.parse(text ?? ''))).toBeLessThan(60_000)
