import type { IncomingRecord } from '@herald/kafka'
import { StorageUnavailableError } from '@herald/store'
import { beforeEach, expect, test } from '@jest/globals'
import { recordOf } from '../events/records.fixture.ts'
import { wouldFailAgain } from './event-ingestion.ts'
import { createGatheredHandler } from './gathered-handler.ts'

class Away extends Error {}

let calls: string[]
beforeEach(() => {
  calls = []
})

const share = (partition: number, count: number, value = 'x'): IncomingRecord[] =>
  Array.from({ length: count }, (_, n) => ({ ...recordOf(value), partition, offset: String(n) }))

/** Creates a handler that logs its calls and throws the error returned by `fault`. */
const createHandler = (fault: (records: readonly IncomingRecord[]) => Error | undefined = () => undefined) =>
  createGatheredHandler(
    async (records, kind) => {
      const partitions = [...new Set(records.map(({ partition }) => partition))]
      calls.push(`${kind} ${partitions.join('+')}: ${records.length}`)
      const error = fault(records)
      if (error) throw error
    },
    (error, records) => error instanceof Away && records.every(({ partition }) => partition < 2),
  )

const outcomes = async (handled: readonly Promise<void>[]) =>
  (await Promise.allSettled(handled)).map((result) => (result.status === 'fulfilled' ? 'done' : String(result.reason)))

test('handles shares that arrive together in one call per kind', async () => {
  const handle = createHandler()
  const handled = [
    handle(share(0, 2), 'mention'),
    handle(share(1, 3), 'change'),
    handle(share(2, 1), 'mention'),
    handle(share(3, 1), 'change'),
  ]
  expect(await outcomes(handled)).toEqual(Array(4).fill('done'))
  expect(calls).toEqual(['mention 0+2: 3', 'change 1+3: 4'])

  await handle(share(5, 1), 'mention')
  expect(calls.slice(2)).toEqual(['mention 5: 1'])
})

test('limits a call to a chunk: 1,000 records, 512 KiB, 250 receipts', async () => {
  const handle = createHandler()
  await Promise.all([handle(share(0, 600), 'change'), handle(share(1, 400), 'change'), handle(share(2, 1), 'change')])
  expect(calls).toEqual(['change 0+1: 1000', 'change 2: 1'])

  calls = []
  const large = 'x'.repeat(200 * 1024)
  await Promise.all([0, 1, 2].map((partition) => handle(share(partition, 1, large), 'change')))
  expect(calls).toEqual(['change 0+1: 2', 'change 2: 1'])
  calls = []
  await Promise.all([0, 1, 2].map((partition) => handle(share(partition, 125), 'receipt')))
  expect(calls).toEqual(['receipt 0+1: 250', 'receipt 2: 125'])
})

test('retries each share separately after a failure', async () => {
  const handle = createHandler((records) =>
    records.some(({ partition }) => partition === 1) ? new Error('refused') : undefined,
  )
  const handled = [0, 1, 2].map((partition) => handle(share(partition, 1), 'mention'))
  expect(await outcomes(handled)).toEqual(['done', 'Error: refused', 'done'])
  expect(calls).toEqual(['mention 0+1+2: 3', 'mention 0: 1', 'mention 1: 1', 'mention 2: 1'])
})

test('does not retry an error that affects all shares', async () => {
  const handle = createHandler(() => new Away('away'))
  const handled = [0, 1].map((partition) => handle(share(partition, 1), 'mention'))
  expect(await outcomes(handled)).toEqual(['Error: away', 'Error: away'])
  expect(calls).toEqual(['mention 0+1: 2'])
})

test('does not retry the share that an error affects, but the others', async () => {
  const handle = createHandler((records) =>
    records.some(({ partition }) => partition === 1) ? new Away('away') : undefined,
  )
  const handled = [1, 2, 3].map((partition) => handle(share(partition, 1), 'mention'))
  expect(await outcomes(handled)).toEqual(['Error: away', 'done', 'done'])
  expect(calls).toEqual(['mention 1+2+3: 3', 'mention 2: 1', 'mention 3: 1'])
})

test('MongoDB that is away affects every share', () => {
  expect(wouldFailAgain(new StorageUnavailableError('away'), share(0, 1))).toBe(true)
})
