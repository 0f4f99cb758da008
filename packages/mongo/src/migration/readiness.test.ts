import { expect, test } from '@jest/globals'
import { createReadiness } from './readiness.ts'

const nothing = { missing: [], retention: [], blocking: [] }
const oneMissing = { ...nothing, missing: ['collection notifications is missing'] }

function createTestReadiness() {
  const world = { found: Promise.resolve(nothing as typeof oneMissing | typeof nothing), isThere: true, ms: 0 }
  const asked = { everything: 0, one: 0 }
  const probe = createReadiness({
    compare() {
      asked.everything++
      return world.found
    },
    async isThere() {
      asked.one++
      return world.isThere
    },
    clock: () => world.ms,
  })
  return { world, asked, probe }
}

test('a probe asks one question once nothing was missing', async () => {
  const { asked, probe } = createTestReadiness()
  expect(await probe()).toEqual(nothing)
  expect(await probe()).toEqual(nothing)
  expect(asked).toEqual({ everything: 1, one: 1 })
})

test('a comparison that takes longer than a probe serves the next ones', async () => {
  const { world, asked, probe } = createTestReadiness()
  const slow = Promise.withResolvers<typeof nothing>()
  world.found = slow.promise
  const probes = [probe(), probe(), probe()]
  slow.resolve(nothing)
  expect(await Promise.all(probes)).toEqual([nothing, nothing, nothing])
  expect(asked).toEqual({ everything: 1, one: 0 })
})

test('what is missing is looked for again by each probe', async () => {
  const { world, asked, probe } = createTestReadiness()
  world.found = Promise.resolve(oneMissing)
  expect([await probe(), await probe()]).toEqual([oneMissing, oneMissing])
  world.found = Promise.resolve(nothing)
  expect(await probe()).toEqual(nothing)
  expect(asked).toEqual({ everything: 3, one: 0 })
})

test('a collection that has gone is named at once, an index after ten seconds', async () => {
  const { world, probe } = createTestReadiness()
  await probe()
  world.found = Promise.resolve(oneMissing)
  world.isThere = false
  expect(await probe()).toEqual(oneMissing)
  world.found = Promise.resolve(nothing)
  world.isThere = true
  expect(await probe()).toEqual(nothing)
  const slow = Promise.withResolvers<typeof oneMissing>()
  world.found = slow.promise
  world.ms = 10_001
  // This one begins the comparison, whose result later ones have.
  expect(await probe()).toEqual(nothing)
  slow.resolve(oneMissing)
  await slow.promise
  expect(await probe()).toEqual(oneMissing)
})

test('an error of the one question is the probe’s; one of a comparison behind it is not', async () => {
  const { world, probe } = createTestReadiness()
  await probe()
  world.ms = 10_001
  world.found = Promise.reject(new Error('Away'))
  expect(await probe()).toEqual(nothing)
  world.found = Promise.resolve(nothing)
  expect(await probe()).toEqual(nothing)
})
