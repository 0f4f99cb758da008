import { randomUUID } from 'node:crypto'
import type { ChangeEntry, HeraldClient, Notification } from '@herald/client'
import { isFullRun } from '@herald/jest-preset/full-run'
import { changeEntryIdOf, createEvents, notificationIdOf } from '@herald/publisher'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connectFieldHerald, type FieldHerald } from './field-herald.ts'
import { changeEntryFields, type Fate, fieldsBySchema, notificationFields } from './field-table.ts'
import { dataSchemas, fieldsOf, filled, valueAt } from './schema-fields.ts'

test.each(Object.entries(fieldsBySchema))(
  'each field of %s is in the table of fields, with what an erasure makes of it',
  (name, known) => {
    const unknown = [...fieldsOf(name).keys()].filter((field) => !known.includes(field))
    expect({ name, unknown }).toEqual({ name, unknown: [] })
  },
)

test('the table has the schema of each event', () => {
  expect(dataSchemas.filter((name) => fieldsBySchema[name] === undefined)).toEqual([])
})

test('each field of what is shown is in its schema', () => {
  expect([...fieldsOf('Notification').keys()].sort()).toEqual(Object.keys(notificationFields).sort())
  expect([...fieldsOf('ChangeEntry').keys()].sort()).toEqual(Object.keys(changeEntryFields).sort())
})

const events = createEvents({ source: '/fields' })
let herald: FieldHerald
beforeAll(async () => {
  herald = await connectFieldHerald()
}, 120_000)
afterAll(() => herald?.disconnect())

type Data = Record<string, unknown>
/** Filled by a program, so the compiler does not know its fields. */
const untyped = (data: Data) => data as never
const secondsOf = (time: Date | string) => `${new Date(time).toISOString().slice(0, 19)}Z`
/** Announced as unread at once. */
const time = new Date(Date.now() - 90_000)
const receipts = { readAt: null, emailSentAt: null }

/** A person, a reader, and the reader's clients. */
async function newPeople() {
  const [subscriberId, person, reader] = [randomUUID(), randomUUID(), randomUUID()]
  const client = await herald.newClient({ sub: reader, subscriber_id: subscriberId })
  return { subscriberId, person, reader, client }
}

/** A notification as Herald must show it: each field of a mention as it was given, and those that Herald adds. */
function shown(data: Data, added: Data): Data {
  const { recipientIds: _, ...content } = data
  return { type: 'mention', actorId: valueAt(data, 'actor.id'), ...content, ...added, ...receipts }
}

/** Checks what an erasure made of each field, and returns the pseudonym. */
function expectErased(before: unknown, after: unknown, fates: Readonly<Record<string, Fate>>, erasedAt: string): void {
  const pseudonyms = new Set<unknown>()
  const expected = Object.entries(fates).map(([path, fate]) => {
    if (fate === 'pseudonym') pseudonyms.add(valueAt(after, path))
    const masked = { emptied: '', pseudonym: [...pseudonyms][0], 'time of the erasure': erasedAt }
    return [path, fate === 'kept' ? valueAt(before, path) : masked[fate]]
  })
  expect(Object.fromEntries(Object.keys(fates).map((path) => [path, valueAt(after, path)]))).toEqual(
    Object.fromEntries(expected),
  )
  const [pseudonym] = pseudonyms
  expect(pseudonym).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8/)
  expect(Object.keys(fates).map((path) => valueAt(before, path))).not.toContain(pseudonym)
}

/** A value in a line of CSV. */
const cellOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '""'))

async function erase(subscriberId: string, personId: string): Promise<string> {
  const erasedAt = new Date()
  await herald.publish(events.personErased({ id: randomUUID(), time: erasedAt, subscriberId }, { personId }))
  return secondsOf(erasedAt)
}

/** The events of a reader's stream while a task runs. */
async function streamed(client: HeraldClient, task: () => Promise<void>): Promise<Notification[]> {
  const found: Notification[] = []
  let started = false
  for await (const event of client.notifications.stream()) {
    if (event.type === 'notification') found.push(event.notification)
    if (event.type === 'notification') break
    if (event.type !== 'heartbeat' || started) continue
    started = true
    await task()
  }
  return found
}

type People = Awaited<ReturnType<typeof newPeople>>
type Sent = { id: string; expected: Data; people: People }
const sent: Sent[] = []
const erased: { erasedAt: string; people: People }[] = []

describe.each(['structured', 'binary'] as const)('a mention in %s mode, with every field of its schema', (mode) => {
  test('shows each of them in lists, by id, in the stream, in announcements and in digests', async () => {
    const people = await newPeople()
    const { subscriberId, person, reader, client } = people
    const given = { 'actor.id': person, subjectId: person, recipientIds: [reader] }
    const data = filled('MentionCreatedData', given)
    const event = events.mentionCreated({ id: randomUUID(), time, subscriberId }, untyped(data))
    const id = notificationIdOf(event)
    const times = { createdAt: secondsOf(time), updatedAt: secondsOf(time) }
    const expected = shown(data, { id, subscriberId, ...times })
    expect(await streamed(client, () => herald.publish(event, mode))).toEqual([expected])
    await expectShown({ id, expected, people })
    sent.push({ id, expected, people })
  }, 180_000)
})

test('POST / with every field of its schema shows each of them everywhere', async () => {
  const people = await newPeople()
  const { subscriberId, person, reader, client } = people
  const body = filled('CreateNotification', { subjectId: person, recipientIds: [reader] })
  const actor = { id: person, name: `Ada ${randomUUID()}`, image: `https://images.example/${randomUUID()}.png` }
  const claims = { sub: person, subscriber_id: subscriberId, name: actor.name, picture: actor.image }
  const author = await herald.newClient({ ...claims, actor_type: String(body.actorType) })
  let expected: Data = {}
  const [live] = await streamed(client, async () => {
    const { recipients, ...created } = await author.notifications.create(untyped(body))
    expect(recipients).toEqual([{ recipientId: reader, ...receipts }])
    const { id, createdAt, updatedAt } = created
    expected = shown({ ...body, actor }, { id, subscriberId, createdAt, updatedAt })
    expect({ ...created, ...receipts }).toEqual(expected)
  })
  expect(live).toEqual(expected)
  const id = String(expected.id)
  // Its digest is a minute away: it was created just now.
  await expectShown({ id, expected, people }, isFullRun)
  sent.push({ id, expected, people })
}, 180_000)

async function expectShown({ id, expected, people }: Sent, isInDigest = true): Promise<void> {
  const { client, reader } = people
  expect((await client.notifications.list()).notifications).toEqual([expected])
  expect(await client.notifications.get(id)).toEqual(expected)
  const { readAt: _, emailSentAt: __, ...announced } = expected
  expect(await herald.announced('herald.notification.created.v1', id)).toEqual({
    notification: announced,
    recipientIds: [reader],
    part: 1,
    parts: 1,
  })
  if (!isInDigest) return
  expect((await herald.announced('herald.notification.unread.v1', id)).latest).toEqual(expected)
}

test('an erasure masks each field of a notification as the table says', async () => {
  expect(sent).toHaveLength(3)
  for (const { id, expected, people } of sent) {
    const { client, subscriberId, person, reader } = people
    const one = () => client.notifications.get(id)
    const identity = { time: new Date(), subscriberId }
    const receipt = { notificationId: id, recipientId: reader }
    await herald.publish(events.emailSent({ ...identity, id: randomUUID() }, receipt))
    await herald.publish(events.notificationRead({ ...identity, id: randomUUID() }, receipt))
    const hasReceipts = async () => Object.values(await one()).filter((value) => value === null).length === 0
    await eventually(hasReceipts, { description: 'the receipts' })
    const before = { ...expected, readAt: secondsOf(identity.time), emailSentAt: secondsOf(identity.time) }
    expect(await one()).toEqual(before)

    const erasedAt = await erase(subscriberId, person)
    await eventually(async () => (await one()).actorId !== person, { description: 'the erasure' })
    expectErased(before, await one(), notificationFields, erasedAt)
    const [listed] = (await client.notifications.list()).notifications
    expectErased(before, listed, notificationFields, erasedAt)
    erased.push({ erasedAt, people })
  }
}, 120_000)

test('a mention that arrives after the erasure is masked in lists, by id, in announcements and in digests', async () => {
  expect(erased).toHaveLength(3)
  for (const { erasedAt, people } of erased) {
    const { client, subscriberId, person, reader } = people
    const data = filled('MentionCreatedData', { 'actor.id': person, subjectId: person, recipientIds: [reader] })
    const event = events.mentionCreated({ id: randomUUID(), time, subscriberId }, untyped(data))
    const id = notificationIdOf(event)
    const before = shown(data, { id, subscriberId, createdAt: secondsOf(time), updatedAt: secondsOf(time) })
    await herald.publish(event)
    const created = await herald.announced('herald.notification.created.v1', id)
    const { readAt: _, emailSentAt: __, ...announcedFields } = notificationFields
    expectErased(before, created.notification, announcedFields, erasedAt)
    const { latest } = await herald.announced('herald.notification.unread.v1', id)
    const listed = (await client.notifications.list()).notifications.find((one) => one.id === id)
    for (const form of [latest, listed, await client.notifications.get(id)]) {
      expectErased(before, form, notificationFields, erasedAt)
    }
  }
}, 180_000)

describe.each(['structured', 'binary'] as const)('a change in %s mode, with every field of its schema', (mode) => {
  test('shows each of them in the log and in all exports, and an erasure masks it as the table says', async () => {
    const { subscriberId, person, client } = await newPeople()
    const data = filled('ChangeRecordedData', { 'user.id': person })
    const event = events.changeRecorded({ id: randomUUID(), time, subscriberId }, untyped(data))
    await herald.publish(event, mode)
    const expected = { ...data, id: changeEntryIdOf(event), createdAt: secondsOf(time) }
    const page = async () => (await client.changeEntries.list()).changeEntries
    await eventually(async () => (await page()).length === 1, { description: 'the entry' })
    expect(await page()).toEqual([expected])
    const all: ChangeEntry[] = []
    for await (const entry of client.changeEntries.all()) all.push(entry)
    expect(all).toEqual([expected])
    const exported = async (format: 'json' | 'ndjson' | 'csv') => (await client.changeEntries.export(format)).text()
    const cellsOf = async () => (await exported('csv')).split('\r\n')[1] ?? ''
    expect(JSON.parse(await exported('json'))).toEqual({ data: [expected] })
    expect(JSON.parse(await exported('ndjson'))).toEqual(expected)
    const cells = await cellsOf()
    for (const path of Object.keys(changeEntryFields)) expect(cells).toContain(cellOf(valueAt(expected, path)))

    const erasedAt = await erase(subscriberId, person)
    await eventually(async () => (await page())[0]?.user.id !== person, { description: 'the erasure' })
    const [entry] = await page()
    expectErased(expected, entry, changeEntryFields, erasedAt)
    expect(JSON.parse(await exported('json'))).toEqual({ data: [entry] })
    expect(JSON.parse(await exported('ndjson'))).toEqual(entry)
    const cellsAfter = await cellsOf()
    for (const [path, fate] of Object.entries(changeEntryFields)) {
      expect(cellsAfter).toContain(cellOf(valueAt(entry, path)))
      if (fate !== 'kept') expect(cellsAfter).not.toContain(cellOf(valueAt(expected, path)))
    }
  }, 120_000)
})
