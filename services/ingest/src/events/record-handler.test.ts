import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Receipt } from '@herald/feed'
import type { IncomingRecord } from '@herald/kafka'
import { StorageUnavailableError } from '@herald/store'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { DeadLetter } from '../produce/dead-letter.ts'
import { createRecordHandler, type RecordHandlerDependencies } from './record-handler.ts'
import { attributes, changeData, goldenId, mentionData, now, recordOf, structured, uuid } from './records.fixture.ts'

let calls: string[]
let published: DeadLetter[]
let observed: string[]

beforeEach(() => {
  calls = []
  published = []
  observed = []
})

const nothing = { items: [], settle: async () => {}, postpone: async () => {} }
const log = <T>(call: string, result: T): T => {
  calls.push(call)
  return result
}

function createHandler(changes: Partial<RecordHandlerDependencies> = {}) {
  return createRecordHandler({
    notifications: {
      insertNew: async (all) =>
        log(`store ${all.length}`, { inserted: all.length, duplicates: 0, refused: [], erased: [], created: nothing }),
    },
    erasures: { accept: async (all) => log(`erase ${all.length}`, { refused: [] }) },
    retractions: { accept: async (all) => log(`retract ${all.length}`, { refused: [] }) },
    changeEntries: {
      insertNew: async (all) => log(`store ${all.length}`, { inserted: all.length, duplicates: 0, refused: [] }),
    },
    receipts: {
      apply: async (all) => log(`apply ${all.length}`, { waiting: 0, dropped: 0, refused: [] }),
    },
    deadLetters: {
      publish: async (letters) => {
        calls.push(`publish ${letters.length}`)
        published.push(...letters)
      },
    },
    group: 'herald-ingest',
    times: () => ({ now }),
    observe: (handled) => observed.push(...handled.map(({ record, outcome }) => `${record.offset} ${outcome}`)),
    ...changes,
  })
}

const at = (offset: number, record: IncomingRecord): IncomingRecord => ({ ...record, offset: String(offset) })
const mention = (offset: number) => at(offset, structured(attributes({ id: `evt-${offset}` }), mentionData()))
const bad = (offset: number) => at(offset, recordOf('nonsense', { 'content-type': 'application/cloudevents+json' }))
const away = async () => {
  throw new StorageUnavailableError('away')
}

test('stores valid records, then publishes dead letters, then observes all', async () => {
  await createHandler({
    observe: (handled) => log(`observe ${handled.map(({ record }) => record.offset)}`, undefined),
  })([mention(1), bad(2), mention(3), bad(4)], 'mention')
  expect(calls).toEqual(['store 2', 'publish 2', 'observe 1,2,3,4'])
  expect(published.map(({ record, code }) => [record.offset, code])).toEqual([
    ['2', 'not_json'],
    ['4', 'not_json'],
  ])
})

test('takes several turns for records of several chunks that take long to decide', async () => {
  let turn = 0
  let isDone = false
  const counting = (async () => {
    for (; !isDone; turn++) await nextTurn()
  })()
  const decidedIn: number[] = []
  const decide = () => {
    decidedIn.push(turn)
    for (const since = performance.now(); performance.now() - since < 25; );
    return { kind: 'skipped', reason: 'unchanged' } as const
  }
  const handle = createHandler({ capturedChanges: { decide } })
  await Promise.all([handle([mention(1), mention(2)], 'captured'), handle([mention(3), mention(4)], 'captured')])
  isDone = true
  await counting
  expect(new Set(decidedIn).size).toBe(4)
})

test('observes each record with its outcome', async () => {
  const expired = at(3, structured(attributes({ time: '2020-01-01T00:00:00Z' }), mentionData()))
  const times = () => ({ now, keepFrom: new Date('2025-01-01T00:00:00Z') })
  await createHandler({ times })([mention(1), bad(2), expired], 'mention')
  expect(observed).toEqual(['1 stored', '2 not_json', '3 expired'])
  expect(calls).toEqual(['store 1', 'publish 1'])
})

test('skips storing without valid records and publishing without dead letters', async () => {
  const handle = createHandler()
  await handle([bad(1)], 'mention')
  await handle([mention(2)], 'mention')
  await handle([], 'mention')
  expect(calls).toEqual(['publish 1', 'store 1'])
})

test('throws and neither publishes nor observes while the storage is unavailable', async () => {
  const handle = createHandler({ notifications: { insertNew: away } })
  await expect(handle([mention(1), bad(2)], 'mention')).rejects.toThrow(StorageUnavailableError)
  expect([calls, published, observed]).toEqual([[], [], []])
})

test('throws and observes nothing while the dead-letter topic is unavailable', async () => {
  const handle = createHandler({ deadLetters: { publish: away } })
  await expect(handle([mention(1), bad(2)], 'mention')).rejects.toThrow('away')
  expect([calls, observed]).toEqual([['store 1'], []])
})

test('dead-letters only the documents rejected by MongoDB and stores the others', async () => {
  const handle = createHandler({
    notifications: {
      insertNew: async (all) => ({
        inserted: all.length - 1,
        duplicates: 0,
        erased: [],
        created: nothing,
        refused: all.slice(1, 2).map((document) => ({ document, reason: 'BSONObjectTooLarge' })),
      }),
    },
  })
  await handle([mention(1), mention(2), mention(3)], 'mention')
  expect(published).toMatchObject([
    { record: { offset: '2' }, code: 'refused_by_storage', detail: 'BSONObjectTooLarge' },
  ])
  expect(observed).toEqual(['1 stored', '2 refused_by_storage', '3 stored'])
})

test('dead-letters a record that Herald fails to process and continues', async () => {
  const poison = new Proxy(mention(2), {
    get: (record, name) => {
      if (name === 'headers') throw new TypeError('a bug')
      return Reflect.get(record, name)
    },
  })
  await createHandler()([mention(1), poison, mention(3)], 'mention')
  expect(calls).toEqual(['store 2', 'publish 1'])
  expect(published).toMatchObject([{ code: 'undecidable' }])
  expect(published[0]?.detail).not.toContain('a bug')
})

describe('change events', () => {
  const change = (offset: number) =>
    at(offset, structured(attributes({ type: 'herald.change.recorded.v1', id: `evt-${offset}` }), changeData()))

  test('are stored without settling receipts', async () => {
    await createHandler()([change(1), bad(2), change(3)], 'change')
    expect(calls).toEqual(['store 2', 'publish 1'])
  })

  test('are held back while the storage is unavailable', async () => {
    const handle = createHandler({ changeEntries: { insertNew: away } })
    await expect(handle([change(1), bad(2)], 'change')).rejects.toThrow(StorageUnavailableError)
    expect(published).toEqual([])
  })
})

describe('receipts', () => {
  const receipt = (offset: number) =>
    at(
      offset,
      structured(attributes({ type: 'herald.email.sent.v1' }), { notificationId: goldenId, recipientId: uuid(4) }),
    )

  test('are applied together with their record', async () => {
    const applied: unknown[] = []
    const handle = createHandler({
      receipts: {
        apply: async (all) => {
          applied.push(...all)
          return { waiting: all.length, dropped: 0, refused: [] }
        },
      },
    })
    await handle([receipt(1), bad(2)], 'receipt')
    expect(applied).toMatchObject([{ kind: 'email-sent', notificationId: goldenId, recipientId: uuid(4) }])
    expect(JSON.parse((applied[0] as { record: string }).record)).toMatchObject({ offset: '1' })
    expect(calls).toEqual(['publish 1'])
  })

  test('rejected by MongoDB are dead-lettered and observed as such', async () => {
    const handle = createHandler({
      receipts: {
        apply: async (all) => ({
          waiting: 0,
          dropped: 0,
          refused: [{ document: all[1] as Receipt, reason: 'too large' }],
        }),
      },
    })
    await handle([receipt(1), receipt(2)], 'receipt')
    expect(published).toMatchObject([{ record: { offset: '2' }, code: 'refused_by_storage', detail: 'too large' }])
    expect(observed).toEqual(['1 stored', '2 refused_by_storage'])
  })

  test('are held back while the storage is unavailable', async () => {
    const receipts = { apply: away }
    await expect(createHandler({ receipts })([receipt(1), bad(2)], 'receipt')).rejects.toThrow(StorageUnavailableError)
    expect([published, observed]).toEqual([[], []])
  })
})

const retraction = (offset: number) =>
  at(
    offset,
    structured(attributes({ id: `evt-${offset}`, type: 'herald.mention.retracted.v1' }), { notificationId: goldenId }),
  )

test('applies the retractions of a chunk before it stores notifications', async () => {
  await createHandler()([mention(1), retraction(2), mention(3), retraction(4)], 'mention')
  expect(calls).toEqual(['retract 2', 'store 2'])
  expect(observed).toEqual(['1 stored', '2 stored', '3 stored', '4 stored'])
})

test('accepts the erasures of a chunk, and counts the receipts that an erasure drops', async () => {
  const erased = structured(attributes({ type: 'herald.person.erased.v1' }), { personId: uuid(4) })
  await createHandler()([at(1, erased), at(2, erased)], 'privacy')
  expect([calls, observed]).toEqual([['erase 2'], ['1 stored', '2 stored']])
  const dropped: number[] = []
  const sent = structured(attributes({ type: 'herald.email.sent.v1' }), {
    notificationId: goldenId,
    recipientId: uuid(4),
  })
  await createHandler({
    receipts: { apply: async () => ({ waiting: 0, dropped: 1, refused: [] }) },
    onDroppedReceipts: (count) => dropped.push(count),
  })([at(3, sent)], 'receipt')
  expect(dropped).toEqual([1])
})

test('dead-letters a refused retraction, and stores nothing while retractions are unavailable', async () => {
  const accept: RecordHandlerDependencies['retractions']['accept'] = async (all) => ({
    refused: [{ document: all[1] as (typeof all)[number], reason: 'poison' }],
  })
  await createHandler({ retractions: { accept } })([retraction(1), retraction(2)], 'mention')
  expect(published.map(({ record, code, detail }) => [record.offset, code, detail])).toEqual([
    ['2', 'refused_by_storage', 'poison'],
  ])
  calls = []
  await expect(
    createHandler({ retractions: { accept: away } })([mention(1), retraction(2)], 'mention'),
  ).rejects.toThrow()
  expect(calls).toEqual([])
})
