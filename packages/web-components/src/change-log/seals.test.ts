import { type ChangeEntry, HeraldProblem } from '@herald/client'
import { until as waitUntil } from '@herald/jest-preset/until'
import { expect, test } from '@jest/globals'
import { createSeals, type SealOf } from './seals.ts'

const user = { id: '', name: '', email: '' }
const entries = Array.from(
  { length: 5 },
  (_, at) => ({ id: `entry-${at}`, user, beforeState: null, afterState: null }) as ChangeEntry,
)
const allAwaited = entries.map(() => 'awaited')
const problem = (status: number, code: HeraldProblem['code']) =>
  new HeraldProblem({ status, code, title: '', detail: '', errors: [], requestId: undefined, retryAfterMs: undefined })

/** A log that is sealed from size 2 on. Its proofs match no entry. */
function start(answers: { checkpoint: () => number }) {
  const asked: string[] = []
  let sealOf: SealOf | undefined
  let wake: () => void = () => {}
  const seals = createSeals({
    changeEntries: {
      async checkpoint() {
        asked.push('checkpoint')
        return `log.example/1\n${answers.checkpoint()}\nroot\n`
      },
      async proof(id) {
        asked.push(id)
        if (answers.checkpoint() < 2) throw problem(409, 'not_sealed_yet')
        if (id === 'entry-4') throw problem(503, 'overloaded')
        const hash = btoa('x'.repeat(32))
        const [leafIndex, treeSize, salt, userHash, leafHash] = [0, 1, hash, hash, hash]
        return { leafIndex, treeSize, salt, userSalt: null, userHash, leafHash, hashes: [], checkpoint: 'o\n1\nroot\n' }
      },
    },
    onChange(seals) {
      sealOf = seals
      wake()
    },
    pollMs: 1,
  })
  const kindOf = (of: SealOf) =>
    entries.map((entry) => {
      const seal = of(entry)
      return seal === 'awaited' ? seal : seal.kind
    })
  const kinds = () => sealOf && kindOf(sealOf)
  return {
    seals,
    asked,
    kinds,
    async until(expected: readonly string[] | undefined) {
      while (JSON.stringify(kinds()) !== JSON.stringify(expected)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

test('checks the three newest entries, and others when asked', async () => {
  const { seals, asked, until } = start({ checkpoint: () => 9 })
  seals.look(entries)
  await until(['altered', 'altered', 'altered', 'unknown', 'unknown'])
  expect(asked).toEqual(['checkpoint', 'entry-0', 'entry-1', 'entry-2'])
  expect(await seals.check(entries[3] as ChangeEntry)).toMatchObject({ kind: 'altered', readAt: expect.any(Date) })
  expect(await seals.check(entries[4] as ChangeEntry)).toMatchObject({ kind: 'failed', error: { status: 503 } })
  await until(['altered', 'altered', 'altered', 'altered', 'failed'])
  seals.stop()
})

test('asks again for those that wait, when the checkpoint has another size', async () => {
  let size = 1
  const { seals, asked, until } = start({ checkpoint: () => size })
  seals.look(entries)
  await until(['unsealed', 'unsealed', 'unsealed', 'unknown', 'unknown'])
  size = 2
  await until(['altered', 'altered', 'altered', 'unknown', 'unknown'])
  seals.stop()
  const proofs = asked.filter((id) => id !== 'checkpoint')
  expect(proofs).toEqual(['entry-0', 'entry-1', 'entry-2', 'entry-0', 'entry-1', 'entry-2'])
})

test('before the first checkpoint nothing is sealed', async () => {
  let isSealed = false
  const checkpoint = () => {
    if (!isSealed) throw problem(404, 'no_such_checkpoint')
    return 2
  }
  const { seals, asked, until } = start({ checkpoint })
  seals.look(entries)
  await until(['unsealed', 'unsealed', 'unsealed', 'unsealed', 'unsealed'])
  expect(new Set(asked)).toEqual(new Set(['checkpoint']))
  isSealed = true
  await until(['altered', 'altered', 'altered', 'unknown', 'unknown'])
  seals.stop()
})

test('shows nothing and asks no more if sealing is off', async () => {
  const checkpoint = () => {
    throw problem(404, 'sealing_off')
  }
  const { seals, asked, kinds, until } = start({ checkpoint })
  seals.look(entries)
  expect(kinds()).toEqual(allAwaited)
  await until(undefined)
  seals.look(entries)
  expect(asked).toEqual(['checkpoint'])
  expect(kinds()).toBeUndefined()
  seals.stop()
})

test('keeps the place while Herald is away, and asks again', async () => {
  let isAway = true
  const checkpoint = () => {
    if (isAway) throw problem(503, 'storage_unavailable')
    return 2
  }
  const { seals, asked, kinds, until } = start({ checkpoint })
  seals.look(entries)
  await waitUntil(() => asked.length >= 3)
  expect(kinds()).toEqual(allAwaited)
  isAway = false
  await until(['altered', 'altered', 'altered', 'unknown', 'unknown'])
  seals.stop()
})

test('a list takes the place of the one before', async () => {
  const { seals, until } = start({ checkpoint: () => 9 })
  seals.look(entries)
  const checking = seals.check(entries[3] as ChangeEntry)
  seals.look(entries.slice(2))
  expect(await checking).toBeUndefined()
  await until(['unknown', 'unknown', 'altered', 'altered', 'failed'])
  seals.stop()
})
