import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { change, structured, timesUntilNow } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import type { ChangeEntry } from '../support/spec-shapes.ts'
import { countStored } from '../support/stored.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let reader: User
let ids: string[]
const userId = randomUUID()

/** 2,500 entries; one has its own user and entity and values that CSV must escape. */
beforeAll(async () => {
  herald = await useSharedHerald()
  reader = await herald.newUser({ scope: 'change-entries:read' })
  const events = timesUntilNow(2_500).map((time, n) =>
    n === 1_250
      ? change(
          { subscriberid: reader.subscriberId, time },
          {
            user: { id: userId, name: 'Zoë "Z", Ltd\nOne', email: '+49@mail.example' },
            entityId: 'odd',
            entityTitle: '=HYPERLINK("x")',
            changedField: '@field',
            beforeState: { a: 'one, "two"' },
            afterState: -5,
          },
        )
      : change({ subscriberid: reader.subscriberId, time }, { actionType: n % 2 === 0 ? 'create' : 'update' }),
  )
  ids = events.map(derivedId).reverse()
  await herald.publish(herald.topics.change, events.map(structured))
  await eventually(async () => (await countStored(herald.database, reader.subscriberId)) === events.length)
}, 120_000)
afterAll(() => herald?.disconnect())

const all = (accept: string, query = '') => reader.send(`/change-entries/all${query}`, { headers: { accept } })

test('NDJSON has the entries of the JSON document, one per line', async () => {
  const { json } = await all('application/json')
  const lines = await all('application/x-ndjson')
  expect(lines.headers.get('content-type')).toMatch(/^application\/x-ndjson(;|$)/)
  expect(lines.text.endsWith('\n')).toBe(true)
  const entries = lines.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(entries.map(({ id }: ChangeEntry) => id)).toEqual(ids)
  expect({ data: entries }).toStrictEqual(json)
})

test('CSV has a header and one row per entry, doubles quotes, neutralizes formulas and writes states as JSON', async () => {
  const csv = await all('text/csv')
  expect(csv.headers.get('content-type')).toMatch(/^text\/csv(;|$)/)
  const [header] = csv.text.split('\r\n')
  expect(header).toBe(
    'id,userId,userName,userEmail,entityType,entityId,entityTitle,actionType,changedField,createdAt,beforeState,afterState',
  )
  expect(csv.text.match(/\r\n/g)).toHaveLength(2_501)
  const [, odd = ''] = (await all('text/csv', '?entityId=odd')).text.split(/\r\n/)
  expect(odd).toContain('"Zoë ""Z"", Ltd\nOne"')
  expect(odd).toContain(`"'=HYPERLINK(""x"")"`)
  expect(odd).toContain(`'+49@mail.example`)
  expect(odd).toContain(`'@field`)
  expect(odd).toContain('"{""a"":""one, \\""two\\""""}"')
})

test.each(['application/json', 'application/x-ndjson', 'text/csv'])(
  '%s has the same content when compressed',
  async (accept) => {
    const headers = { accept, 'accept-encoding': 'gzip', authorization: `Bearer ${reader.token}` }
    const zipped = await new Promise<Buffer>((resolve, reject) => {
      get(`${herald.baseUrl}/change-entries/all`, { headers }, (answer) => {
        expect(answer.headers['content-encoding']).toBe('gzip')
        expect(answer.headers.vary).toMatch(/Accept-Encoding/i)
        buffer(answer).then(resolve, reject)
      }).on('error', reject)
    })
    const plain = await reader.send('/change-entries/all', { headers: { accept, 'accept-encoding': 'identity' } })
    expect(plain.headers.has('content-encoding')).toBe(false)
    expect(gunzipSync(zipped).toString()).toBe(plain.text)
    expect(zipped.length).toBeLessThan(plain.text.length / 2)
  },
)

test('paging returns every entry exactly once', async () => {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const answer = await reader.get(`/change-entries?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`)
    const { data } = answer.json as { data: { changeEntries: ChangeEntry[]; nextCursor: string | null } }
    seen.push(...data.changeEntries.map(({ id }) => id))
    cursor = data.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual(ids)
})

test.each([
  ['?entityId=odd', 1],
  [`?userId=${userId}`, 1],
  [`?userId=${randomUUID()}`, 0],
  ['?actionType=create', 1_249],
  ['?entityType=portfolio&changedField=%40field', 1],
  ['?createdTo=2001-01-01T00:00:00Z', 0],
  ['?createdFrom=2001-01-01T00:00:00Z&entityType=portfolio', 2_500],
])('the filter %s matches %d entries', async (query, count) => {
  const { json } = await all('application/json', query)
  expect((json as { data: unknown[] }).data).toHaveLength(count)
})
