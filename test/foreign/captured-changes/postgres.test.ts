import { eventually, type StartedProgram } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type CapturedHerald, type Entry, newPrefix, startCapturedHerald } from './captured-herald.ts'
import { cloudEvents, jsonWithSchemas, postgresSettings, startConnect, whyNoConnect } from './connect.ts'
import { type StartedDatabase, startPostgres, whyNoPostgres } from './databases.ts'
import { byTable, mappingOf, subscribers } from './mappings.ts'
import { entriesOfSharedStatements, sharedStatements } from './shared-statements.ts'

const why = (await whyNoConnect()) ?? whyNoPostgres()
if (why) console.warn(`Skipped PostgreSQL: ${why}.`)

const shop = newPrefix('pg')
const events = newPrefix('pgce')
const schemas = newPrefix('pgsc')
const transactions = newPrefix('pgtx')

const subscriber = subscribers([
  `${shop}.public.customer`,
  `${shop}.public.customer_default`,
  `${shop}.public.page`,
  `${shop}.public.page_default`,
  `${shop}.public.by_index`,
  `${shop}.public.nokey`,
  `${events}.public.customer`,
  `${schemas}.public.customer`,
  `${transactions}.public.customer`,
  `${transactions}.public.nokey`,
])
const full = { replicaIdentity: 'full' }

let database: StartedDatabase
let herald: CapturedHerald
let connect: StartedProgram

const noise = (length: number) => Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join('')
const pageId = '00000000-0000-4000-8000-000000000001'
const movedPageId = '00000000-0000-4000-8000-000000000002'

/** The entries expected from the statements, by subscriber. */
const expected = byTable<Entry>()
const untilExpected = async (...topics: readonly string[]) => {
  for (const topic of topics) await herald.untilEntriesAre(subscriber(topic), expected(topic))
}

beforeAll(async () => {
  if (why) return
  database = await startPostgres()
  await database.sql(`
    create table customer (id bigint primary key, name text not null, email text, big bigint, amount numeric(20,4), at timestamptz, doc jsonb);
    alter table customer replica identity full;
    create table customer_default (like customer including all);
    create table page (id uuid primary key, title text, body text);
    alter table page alter body set storage external; alter table page replica identity full;
    create table page_default (id uuid primary key, title text, body text, tags text[], nums int[], uuids uuid[]);
    alter table page_default alter body set storage external; alter table page_default alter tags set storage external;
    alter table page_default alter nums set storage external; alter table page_default alter uuids set storage external;
    create table by_index (id bigint primary key, code text not null, n int);
    create unique index by_index_code on by_index (code); alter table by_index replica identity using index by_index_code;
    create table nokey (a int, b text); alter table nokey replica identity full;
    insert into customer (id, name) values (1, 'Ada')`)
  const ofCustomer = (topic: string) => mappingOf(subscriber(topic), 'customer', full)
  herald = await startCapturedHerald(shop, {
    [`${shop}.public.customer`]: { ...ofCustomer(`${shop}.public.customer`), snapshot: 'record' },
    [`${shop}.public.customer_default`]: mappingOf(subscriber(`${shop}.public.customer_default`), 'customer'),
    [`${shop}.public.page`]: { ...mappingOf(subscriber(`${shop}.public.page`), 'page', full), entityTitle: 'title' },
    [`${shop}.public.page_default`]: {
      ...mappingOf(subscriber(`${shop}.public.page_default`), 'page'),
      entityTitle: 'title',
    },
    [`${shop}.public.by_index`]: { ...mappingOf(subscriber(`${shop}.public.by_index`), 'thing'), entityTitle: 'code' },
    [`${shop}.public.nokey`]: {
      ...mappingOf(subscriber(`${shop}.public.nokey`), 'note', full),
      entityId: 'a',
      entityTitle: 'b',
    },
    [`${events}.public.customer`]: ofCustomer(`${events}.public.customer`),
    [`${schemas}.public.customer`]: ofCustomer(`${schemas}.public.customer`),
    [`${transactions}.public.customer`]: ofCustomer(`${transactions}.public.customer`),
    [`${transactions}.public.nokey`]: {
      ...mappingOf(subscriber(`${transactions}.public.nokey`), 'note', full),
      entityId: 'a',
      entityTitle: 'b',
    },
  })
  const settings = (prefix: string, ...tables: readonly string[]) => ({
    ...postgresSettings(database.port),
    'slot.name': prefix,
    'publication.name': prefix,
    'decimal.handling.mode': 'string',
    'table.include.list': tables.map((table) => `public.${table}`).join(','),
  })
  connect = await startConnect({
    kind: 'postgres',
    brokers: herald.brokers,
    connectors: {
      [shop]: settings(shop, 'customer', 'customer_default', 'page', 'page_default', 'by_index', 'nokey'),
      [events]: { ...settings(events, 'customer'), ...cloudEvents },
      [schemas]: { ...settings(schemas, 'customer'), ...jsonWithSchemas },
      [transactions]: { ...settings(transactions, 'customer', 'nokey'), 'provide.transaction.metadata': 'true' },
    },
  })
}, 400_000)

afterAll(async () => {
  await connect?.stop()
  await herald?.stop()
  await database?.stop()
}, 60_000)

const ofAllForms = [shop, events, schemas, transactions].map((prefix) => `${prefix}.public.customer`)
const row = (id: number, fields: Record<string, unknown> = {}) => ({
  id,
  name: 'Bo',
  email: null,
  big: null,
  amount: null,
  at: null,
  doc: null,
  ...fields,
})

const suite = why ? describe.skip : describe

suite('PostgreSQL with REPLICA IDENTITY FULL', () => {
  test('a snapshot is recorded or skipped', async () => {
    expected(`${shop}.public.customer`).push(['create', '1', '', null, row(1, { name: 'Ada' })])
    await untilExpected(...ofAllForms)
  })

  test('inserts, updates and deletes, in every form of the record', async () => {
    await database.sql(`
      insert into customer (id, name, big, amount, at, doc)
        values (2, 'Bo', 9007199254740993, 1234.5, '2026-01-02T03:04:05Z', '{"b": 1, "a": 9007199254740993}');
      update customer set email = 'bo@example.org' where id = 2;
      update customer set name = 'Bob', big = 9007199254740995, amount = 99.9, at = null where id = 2;
      update customer set name = name where id = 2;
      delete from customer where id = 2`)
    const created = row(2, {
      big: '9007199254740993',
      amount: '1234.5000',
      at: '2026-01-02T03:04:05.000000Z',
      doc: '{"a": 9007199254740993, "b": 1}',
    })
    const last = {
      ...created,
      name: 'Bob',
      email: 'bo@example.org',
      big: '9007199254740995',
      amount: '99.9000',
      at: null,
    }
    for (const topic of ofAllForms) {
      expected(topic).push(
        ['create', '2', '', null, created],
        ['update', '2', 'email', null, 'bo@example.org'],
        ['update', '2', 'name', 'Bo', 'Bob'],
        ['update', '2', 'big', '9007199254740993', '9007199254740995'],
        ['update', '2', 'amount', '1234.5000', '99.9000'],
        ['update', '2', 'at', '2026-01-02T03:04:05.000000Z', null],
        ['delete', '2', '', last, null],
      )
    }
    await untilExpected(...ofAllForms)
  })

  test('a changed primary key, several rows, COPY, and a transaction', async () => {
    await database.sql(`
      ${sharedStatements}
      delete from customer where id in (4, 5, 30)`)
    await database.sql(`copy customer (id, name) from stdin;\n6\tBo\n7\tBo\n\\.\n`)
    for (const topic of ofAllForms) {
      expected(topic).push(
        ...entriesOfSharedStatements(row),
        ...[6, 7].map((id): Entry => ['create', String(id), '', null, row(id)]),
        ...[4, 5].map((id): Entry => ['delete', String(id), '', row(id, { email: 'a' }), null]),
        ['delete', '30', '', row(30), null],
      )
    }
    await untilExpected(...ofAllForms)
  })

  test('an unchanged TOASTed column makes no entry', async () => {
    const body = noise(10_000)
    await database.sql(`
      insert into page values ('${pageId}', 't', '${body}');
      update page set title = 't2' where id = '${pageId}';
      update page set id = '${movedPageId}'`)
    expected(`${shop}.public.page`).push(
      ['create', pageId, '', null, { id: pageId, title: 't', body }],
      ['update', pageId, 'title', 't', 't2'],
      ['delete', pageId, '', { id: pageId, title: 't2', body }, null],
      ['create', movedPageId, '', null, { id: movedPageId, title: 't2', body }],
    )
    await untilExpected(`${shop}.public.page`)
  })

  test('a truncate makes no entry', async () => {
    await database.sql(`truncate customer; insert into customer (id, name) values (8, 'Bo')`)
    for (const topic of ofAllForms) expected(topic).push(['create', '8', '', null, row(8)])
    await untilExpected(...ofAllForms)
  })

  test('a table without a key needs the position in the transaction', async () => {
    await database.sql(`insert into nokey values (1, 'x'), (1, 'x'); delete from nokey`)
    expected(`${transactions}.public.nokey`).push(
      ...[1, 2].map((): Entry => ['create', '1', '', null, { a: 1, b: 'x' }]),
      ...[1, 2].map((): Entry => ['delete', '1', '', { a: 1, b: 'x' }, null]),
    )
    await untilExpected(`${transactions}.public.nokey`, `${shop}.public.nokey`)
  })
})

suite('PostgreSQL with another replica identity', () => {
  test('DEFAULT: inserts and deletes make entries, updates do not', async () => {
    await database.sql(`
      insert into customer_default (id, name) values (2, 'Bo');
      update customer_default set email = 'x' where id = 2;
      update customer_default set id = 20 where id = 2;
      delete from customer_default where id = 20`)
    expected(`${shop}.public.customer_default`).push(
      ['create', '2', '', null, row(2)],
      ['delete', '2', '', { id: 2 }, null],
      ['create', '20', '', null, row(20, { email: 'x' })],
      ['delete', '20', '', { id: 20 }, null],
    )
    await untilExpected(`${shop}.public.customer_default`)
  })

  test('DEFAULT: unavailable values are left out of a row', async () => {
    await database.sql(`
      insert into page_default select '${pageId}', 't', '${noise(10_000)}', array_agg(md5(i::text)), array_agg(i),
        array_agg(gen_random_uuid()) from generate_series(1, 1000) i;
      update page_default set id = '${movedPageId}'`)
    const topic = `${shop}.public.page_default`
    const isMoved = ([action, id]: Entry) => action === 'create' && id === movedPageId
    const entries = () => herald.entriesOf(subscriber(topic))
    await eventually(async () => (await entries()).some(isMoved), { within: 60_000 })
    expect((await entries()).find(isMoved)?.[4]).toEqual({ id: movedPageId, title: 't' })
  })

  test('USING INDEX: a delete is a dead letter', async () => {
    await database.sql(`insert into by_index values (1, 'a', 7); delete from by_index`)
    expected(`${shop}.public.by_index`).push(['create', '1', '', null, { id: 1, code: 'a', n: 7 }])
    await untilExpected(`${shop}.public.by_index`)
  })

  test('the dead letters name what to set', async () => {
    await herald.untilCaughtUp()
    const letters = (await herald.deadLetters()).map(([topic, code]) => [topic.replace(/^pg\w+\.public\./, ''), code])
    expect(letters).toEqual([
      ['by_index', 'before_missing'],
      ['customer_default', 'before_missing'],
      ...[1, 2, 3, 4].map(() => ['nokey', 'key_missing']),
    ])
  })
  test('nothing else was recorded', async () => {
    await untilExpected(
      ...ofAllForms,
      ...['page', 'customer_default', 'by_index', 'nokey'].map((t) => `${shop}.public.${t}`),
    )
  })
})
