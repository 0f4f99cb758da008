import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { createStorageCheck } from './storage-check.ts'

test('another expiry is a metric and one warning, and no reason to be unready', async () => {
  const registry = new Registry()
  const warnings: unknown[] = []
  let differing: string[] = []
  const { check } = createStorageCheck({
    registry,
    now: () => new Date(),
    logger: { warn: (fields: unknown) => void warnings.push(fields) } as never,
    checkReady: async () => ({ ok: true, warnings: differing }),
  })
  const ask = async () => {
    const { ok } = await check(new AbortController().signal)
    const metric = await registry.getSingleMetricAsString('herald_retention_differs')
    return [ok, Number(metric.split(' ').at(-1)), warnings.length]
  }
  expect(await ask()).toEqual([true, 0, 0])
  differing = ['documents of notifications expire never, not after 86400 s']
  expect(await ask()).toEqual([true, 1, 1])
  expect(await ask()).toEqual([true, 1, 1])
  differing = []
  expect(await ask()).toEqual([true, 0, 1])
})

test('what is missing makes it fail', async () => {
  const { check } = createStorageCheck({
    registry: new Registry(),
    now: () => new Date(),
    logger: { warn: () => {} } as never,
    checkReady: async () => ({ ok: false, detail: 'Run migrate' }),
  })
  expect(await check(new AbortController().signal)).toEqual({ ok: false, detail: 'Run migrate' })
})
