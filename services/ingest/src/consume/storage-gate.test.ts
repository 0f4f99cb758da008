import { expect, test } from '@jest/globals'
import { createStorageGate } from './storage-gate.ts'

const logger = { warn: () => {}, info: () => {} } as never

test('opens once the storage is ready and stays open', async () => {
  const outcomes = [
    () => Promise.reject(new Error('away')),
    async () => ({ ok: false, detail: 'Run migrate' }) as const,
    async () => ({ ok: true }) as const,
  ]
  let asked = 0
  const check = () => (outcomes[asked++] ?? (() => Promise.reject(new Error('asked again'))))()
  const gate = createStorageGate({ storage: { check }, logger, everyMs: 1 })
  await expect(gate.isOpen()).rejects.toThrow('away')
  expect(await gate.isOpen()).toBe(false)
  await gate.opened(new AbortController().signal)
  expect([await gate.isOpen(), asked]).toEqual([true, 3])
})

test('shares one check among concurrent callers', async () => {
  let asked = 0
  const check = async () => {
    asked++
    return { ok: true } as const
  }
  const gate = createStorageGate({ storage: { check }, logger, everyMs: 1 })
  expect(await Promise.all([gate.isOpen(), gate.isOpen(), gate.isOpen()])).toEqual([true, true, true])
  expect(asked).toBe(1)
})

test('stops waiting when aborted', async () => {
  const check = async () => ({ ok: false, detail: 'Run migrate' }) as const
  const gate = createStorageGate({ storage: { check }, logger, everyMs: 1 })
  const waiting = new AbortController()
  const opened = gate.opened(waiting.signal)
  waiting.abort()
  await expect(opened).rejects.toThrow()
})
