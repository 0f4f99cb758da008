import { migrate, toKey, toUuidBinary } from '@herald/mongo'
import { at, createEmptyDatabase, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Binary } from 'mongodb'
import { planPersons } from './collection-plans.ts'
import { personsCollectionsOf } from './collections.ts'
import type { EraseSteps, PhaseInput } from './erase-steps.ts'
import { erasurePhases } from './erasure-document.ts'
import { createPersons } from './persons.ts'
import { ada, bob, erasure, workOff } from './testing.fixture.ts'

const opened = createEmptyDatabase((database) => migrate(database, planPersons(undefined)))
const collections = personsCollectionsOf(opened.database)
const { erasedPersons, createErasures } = createPersons(collections, () => new Date(1_000))

/** Notes the input of each phase; the phase `changes` takes two steps. */
function createSteps() {
  const inputs: (PhaseInput & { readonly phase: string })[] = []
  const stepOf = (phase: string) => async (input: PhaseInput) => {
    inputs.push({ ...input, phase })
    const isHalf = phase === 'changes' && input.after === undefined
    return { erased: 1, ...(isHalf && { after: toKey(uuid(5)) as Binary }) }
  }
  const steps = Object.fromEntries(erasurePhases.map((phase) => [phase, stepOf(phase)])) as EraseSteps
  return { inputs, erasures: createErasures(steps) }
}

const subscriberId = erasure(1, ada, 10).subscriberId
const look = (personIds: readonly string[], seconds: number) =>
  erasedPersons.look([{ subscriberId, createdAt: at(seconds), personIds }])

beforeAll(opened.migrate)
afterAll(opened.close)
beforeEach(async () => void (await collections.erasures.deleteMany({})))

test('carries out the phases in their order, each until nothing is left of it', async () => {
  const { erasures, inputs } = createSteps()
  expect(await erasures.accept([erasure(1, ada, 10)])).toEqual({ refused: [] })
  const steps = await workOff(erasures)
  const twice = erasurePhases.flatMap((phase) => (phase === 'changes' ? [phase, phase] : [phase]))
  expect(inputs.map(({ phase }) => phase)).toEqual(twice)
  expect(inputs.filter(({ after }) => after !== undefined)).toMatchObject([{ phase: 'changes', personId: ada }])
  expect(steps.at(-1)).toMatchObject({ phase: 'digests', erased: twice.length, done: true })
  expect(await erasures.readOpen()).toEqual({ count: 0, oldest: undefined })
})

test('the oldest one has been waiting since it was accepted, or since its last step', async () => {
  const { erasures } = createSteps()
  await erasures.accept([erasure(1, ada, 10)])
  expect(await erasures.readOpen()).toEqual({ count: 1, oldest: new Date(1_000) })
  const [open] = await erasures.open()
  if (open) await erasures.step(open)
  expect(await erasures.readOpen()).not.toMatchObject({ oldest: new Date(1_000) })
  await erasures.accept([erasure(2, bob, 10)])
  expect(await erasures.readOpen()).toEqual({ count: 2, oldest: new Date(1_000) })
})

test('another process continues after the last step', async () => {
  const [first, second] = [createSteps(), createSteps()]
  await first.erasures.accept([erasure(1, ada, 10)])
  const [open] = await first.erasures.open()
  if (open) for (let step = 0; step < 5; step++) await first.erasures.step(open)
  await workOff(second.erasures)
  expect(second.inputs[0]).toMatchObject({ phase: 'changes', after: toKey(uuid(5)) })
})

test('a person is found up to the time of the erasure, with a pseudonym that stays the same', async () => {
  const { erasures } = createSteps()
  await erasures.accept([erasure(1, ada, 10)])
  const { find } = await look([ada, bob], 10)
  const { pseudonym = '' } = find(subscriberId, ada) ?? {}
  expect(pseudonym).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8/)
  expect(find(subscriberId, bob)).toBeUndefined()
  expect((await look([ada], 11)).isEmpty).toBe(true)
  await workOff(erasures)
  await erasures.accept([erasure(2, ada, 20)])
  expect((await look([ada], 15)).find(subscriberId, ada)).toEqual({ pseudonym, until: at(20) })
})

test('the id of a person is readable only until the work is done', async () => {
  const { erasures } = createSteps()
  await erasures.accept([erasure(1, ada, 10)])
  const stored = () => collections.erasures.findOne({ target: { $exists: true } }, { raw: true })
  const hasId = async () => Buffer.from((await stored()) as never).includes(Buffer.from(toUuidBinary(ada).buffer))
  expect(await hasId()).toBe(true)
  await workOff(erasures)
  expect(await hasId()).toBe(false)
})
