import { randomUUID } from 'node:crypto'
import { eventually, type StartedProgram } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type CapturedHerald, type Entry, newPrefix, startCapturedHerald } from './captured-herald.ts'
import { cloudEvents, defaultJson, postgresSettings, type Settings, startConnect, whyNoConnect } from './connect.ts'
import { type StartedDatabase, startPostgres, whyNoPostgres } from './databases.ts'
import { byTable, mappingOf, subscribers } from './mappings.ts'

const why = (await whyNoConnect()) ?? whyNoPostgres()
if (why) console.warn(`Skipped settings of PostgreSQL’s connector: ${why}.`)
const suite = why ? describe.skip : describe

const prefix = newPrefix('tr')
/** Each connector has one setting that Herald must notice. */
const names = ['nulls', 'router', 'columns', 'outbox', 'events', 'attributes', 'unwrapped'] as const
const prefixOf = (name: (typeof names)[number]) => `${prefix}${name}`
const topics = {
  nulls: `${prefixOf('nulls')}.public.defaults`,
  keptNulls: `${prefixOf('columns')}.public.defaults`,
  keptInEvents: `${prefixOf('attributes')}.public.defaults`,
  schema: `${prefixOf('nulls')}.public.with_schema`,
  router: `${prefixOf('router')}.public.routed`,
  columns: `${prefixOf('columns')}.public.keyed`,
  outbox: `${prefixOf('outbox')}.event`,
  events: `${prefixOf('events')}.public.customer`,
  unwrapped: `${prefixOf('unwrapped')}.public.customer`,
}
const subscriber = subscribers(Object.values(topics))
const secret = `hush-${randomUUID()}`

let database: StartedDatabase
let herald: CapturedHerald
let connect: StartedProgram
const expected = byTable<Entry>()
const untilExpected = (topic: string) => herald.untilEntriesAre(subscriber(topic), expected(topic))
const lettersOf = async (topic: string) => (await herald.fullDeadLetters()).filter((letter) => letter.topic === topic)
const untilLetters = async (topic: string, count: number) => {
  await eventually(async () => (await lettersOf(topic)).length >= count, { within: 60_000, every: 500 })
  return (await lettersOf(topic)).map(({ code, detail }) => [code, detail])
}

beforeAll(async () => {
  if (why) return
  database = await startPostgres()
  await database.sql(`
    create table defaults (id bigint primary key, name text, status text default 'new', secret text default '${secret}');
    alter table defaults replica identity full;
    create table with_schema (id bigint primary key, name text, secret text default '${secret}');
    create table routed_a (id bigint primary key, code text not null, name text, secret text);
    create table routed_b (like routed_a including all);
    create unique index by_code on routed_b (code); alter table routed_b replica identity using index by_code;
    create table keyed (id bigint primary key, region text not null, name text, secret text);
    create table outbox (id uuid primary key, aggregatetype text, aggregateid text, type text, payload jsonb);
    create table customer (id bigint primary key, name text, secret text); alter table customer replica identity full`)
  const full = { replicaIdentity: 'full' }
  const mapping = (topic: string, more: object = {}) => ({
    [topic]: mappingOf(subscriber(topic), 'row', { redact: ['secret'], ...more }),
  })
  herald = await startCapturedHerald(prefix, {
    ...mapping(topics.nulls, full),
    ...mapping(topics.keptNulls, full),
    ...mapping(topics.keptInEvents, full),
    ...mapping(topics.schema),
    ...mapping(topics.router),
    ...mapping(topics.columns),
    ...mapping(topics.outbox),
    ...mapping(topics.events, full),
    ...mapping(topics.unwrapped, full),
  })
  const settings = (name: (typeof names)[number], tables: readonly string[], more: Settings) => [
    prefixOf(name),
    {
      ...postgresSettings(database.port),
      'slot.name': prefixOf(name),
      'publication.name': prefixOf(name),
      'table.include.list': tables.map((table) => `public.${table}`).join(','),
      ...more,
    },
  ]
  connect = await startConnect({
    kind: 'postgres',
    brokers: herald.brokers,
    connectors: Object.fromEntries([
      settings('nulls', ['defaults', 'with_schema'], defaultJson),
      settings('router', ['routed_a', 'routed_b'], {
        transforms: 'route',
        'transforms.route.type': 'io.debezium.transforms.ByLogicalTableRouter',
        'transforms.route.topic.regex': '(.*)routed_.',
        'transforms.route.topic.replacement': '$1routed',
      }),
      settings('columns', ['keyed', 'defaults'], { 'message.key.columns': 'public.keyed:region,id' }),
      settings('outbox', ['outbox'], {
        transforms: 'outbox',
        'transforms.outbox.type': 'io.debezium.transforms.outbox.EventRouter',
        'transforms.outbox.route.topic.replacement': topics.outbox,
      }),
      settings('events', ['customer'], {
        ...cloudEvents,
        'value.converter.extension.attributes.enable': 'false',
      }),
      settings('attributes', ['defaults'], cloudEvents),
      settings('unwrapped', ['customer'], {
        transforms: 'unwrap',
        'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
      }),
    ]),
  })
}, 400_000)

afterAll(async () => {
  await connect?.stop()
  await herald?.stop()
  await database?.stop()
}, 60_000)

suite('settings of PostgreSQL’s connector that Herald notices', () => {
  test('replace.null.with.default: by default NULL is recorded as the default of the column', async () => {
    await database.sql(`
      insert into defaults values (1, 'a', null, null);
      update defaults set status = 'x' where id = 1;
      update defaults set status = null where id = 1;
      update defaults set status = 'new' where id = 1`)
    const row = { id: 1, name: 'a', status: 'new', secret: '[redacted]' }
    expected(topics.nulls).push(
      ['create', '1', '', null, row],
      ['update', '1', 'status', 'new', 'x'],
      ['update', '1', 'status', 'x', 'new'],
    )
    await untilExpected(topics.nulls)
    await database.sql(`insert into with_schema values (1, 'S'); update with_schema set name = 'T'`)
    expect(await untilLetters(topics.schema, 1)).toEqual([['before_missing', expect.anything()]])
    const kept = { ...row, status: null }
    for (const topic of [topics.keptNulls, topics.keptInEvents]) {
      expected(topic).push(
        ['create', '1', '', null, kept],
        ['update', '1', 'status', null, 'x'],
        ['update', '1', 'status', 'x', null],
        ['update', '1', 'status', null, 'new'],
      )
      await untilExpected(topic)
    }
    const metrics = await (await fetch(`${herald.herald.ingest.adminUrl}/metrics`)).text()
    expect(metrics).toContain(`herald_captured_nulls_replaced{topic="${topics.nulls}"} 1`)
    for (const topic of [topics.keptNulls, topics.keptInEvents]) {
      expect(metrics).toContain(`herald_captured_nulls_replaced{topic="${topic}"} 0`)
    }
  })

  test('ByLogicalTableRouter: what is no column is not shown, and an invented key is refused', async () => {
    await database.sql(`
      insert into routed_a values (9, 'a', 'A', '${secret}'); delete from routed_a;
      insert into routed_b values (8, 'b', 'B', '${secret}'); delete from routed_b`)
    expected(topics.router).push(
      ['create', '9', '', null, { id: 9, code: 'a', name: 'A', secret: '[redacted]' }],
      ['delete', '9', '', { id: 9 }, null],
      ['create', '8', '', null, { id: 8, code: 'b', name: 'B', secret: '[redacted]' }],
    )
    await untilExpected(topics.router)
    expect(await untilLetters(topics.router, 1)).toEqual([
      ['before_missing', expect.stringMatching(/key may be invented \(id\).*REPLICA IDENTITY USING INDEX/)],
    ])
  })

  test('message.key.columns: a delete with an invented member is refused', async () => {
    await database.sql(`insert into keyed values (7, 'eu', 'K', '${secret}'); delete from keyed`)
    expected(topics.columns).push(['create', '7', '', null, { id: 7, region: 'eu', name: 'K', secret: '[redacted]' }])
    await untilExpected(topics.columns)
    expect(await untilLetters(topics.columns, 1)).toEqual([
      ['before_missing', expect.stringMatching(/key may be invented \(region\).*message\.key\.columns/)],
    ])
  })

  test.each([
    ['an event of EventRouter', 'outbox', /An event of an outbox \(EventRouter\)/],
    ['a CloudEvent without extension attributes', 'events', /value\.converter\.extension\.attributes\.enable=true/],
    ['an unwrapped row', 'unwrapped', /ExtractNewRecordState must not be configured/],
  ] as const)('%s has a detail of its own', async (_name, name, detail) => {
    const id = randomUUID()
    await database.sql(
      name === 'outbox'
        ? `insert into outbox values ('${id}', 'customer', '1', 'created', '{"id": 1, "secret": "${secret}"}')`
        : `insert into customer values (${name === 'events' ? 1 : 2}, 'C', '${secret}')`,
    )
    const letters = await untilLetters(topics[name], 1)
    for (const letter of letters) expect(letter).toEqual(['row_unreadable', expect.stringMatching(detail)])
  })

  test('no dead letter has the secret, which the topics have', async () => {
    await herald.untilCaughtUp()
    const letters = await herald.fullDeadLetters()
    for (const name of ['schema', 'router', 'columns', 'outbox', 'events', 'unwrapped'] as const) {
      expect((await herald.recordsOf(topics[name])).join()).toContain(secret)
      const texts = letters.filter(({ topic }) => topic === topics[name]).map(({ text }) => text)
      expect(texts.length).toBeGreaterThan(0)
      expect(texts.join()).not.toContain(secret)
    }
  })
})
