import { randomUUID } from 'node:crypto'
import { deriveSubscriberId } from '@herald/contracts'
import type { StartedProgram } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type CapturedHerald, type Entry, newPrefix, startCapturedHerald } from './captured-herald.ts'
import { jsonWithSchemas, postgresSettings, startConnect, whyNoConnect } from './connect.ts'
import { type StartedDatabase, startPostgres, whyNoPostgres } from './databases.ts'
import { byTable, mappingOf, subscribers } from './mappings.ts'

const why = (await whyNoConnect()) ?? whyNoPostgres()
if (why) console.warn(`Skipped rows of PostgreSQL: ${why}.`)
const suite = why ? describe.skip : describe

/** With the settings of the guide, and with schemas and the default precision of times. */
const [rows, schemas] = [newPrefix('pr'), newPrefix('prsc')]
const topicOf = (table: string, prefix = rows) => `${prefix}.public.${table}`
const tables = ['kept', 'passed', 'money', 'times', 'limits', 'part']
const subscriber = subscribers([...tables.map((table) => topicOf(table)), topicOf('times', schemas)])
const tenants = [42, 2 ** 40 + Math.floor(Math.random() * 2 ** 40)]
const bytesTenant = randomUUID()

let database: StartedDatabase
let herald: CapturedHerald
let connect: StartedProgram
const expected = byTable<Entry>()
const untilExpected = async (...topics: readonly string[]) => {
  for (const topic of topics) await herald.untilEntriesAre(subscriber(topic), expected(topic))
}

beforeAll(async () => {
  if (why) return
  database = await startPostgres()
  await database.sql(`
    create table signals (id text primary key, type text not null, data text);
    create table kept (id bigint primary key, name text); create table passed (like kept including all);
    alter table kept replica identity full; alter table passed replica identity full;
    insert into kept select i, 'n' || i from generate_series(1, 5) i; insert into passed select * from kept;
    create table tenant (id bigint primary key, tenant_id bigint not null, name text, changed_by text);
    create table tenant_bytes (id bigint primary key, tenant_id bytea not null, name text, changed_by bytea);
    create table money (id bigint primary key, name text, amount numeric(20,4)); alter table money replica identity full;
    create table times (id bigint primary key, name text, d date, at timestamp, atz timestamptz, t time, i interval);
    alter table times replica identity full;
    create type address as (city text, zip text);
    create table limits (id bigint primary key, name text, home address, spans int4multirange,
      upper_name text generated always as (upper(name)) stored);
    alter table limits replica identity full;
    create table part (id bigint, region text, name text not null, primary key (id, region)) partition by list (region);
    create table part_eu partition of part for values in ('eu'); create table part_us partition of part for values in ('us');
    alter table part replica identity full; alter table part_us replica identity full`)
  const full = { replicaIdentity: 'full' }
  const mapping = (topic: string, more: object = full) => [topic, mappingOf(subscriber(topic), 'row', { ...more })]
  const tenant = { ...mappingOf('', 'row'), subscriberId: { id: 'tenant_id', derive: true } }
  herald = await startCapturedHerald(rows, {
    ...Object.fromEntries([
      mapping(topicOf('kept'), { ...full, snapshot: 'record' }),
      ...['passed', 'money', 'times', 'limits', 'part'].map((table) => mapping(topicOf(table))),
      mapping(topicOf('times', schemas)),
    ]),
    [topicOf('tenant')]: { ...tenant, user: { id: 'changed_by', name: 'changed_by', derive: true } },
    [topicOf('tenant_bytes')]: {
      ...tenant,
      subscriberId: { id: 'tenant_id', as: 'uuid-bytes' },
      user: { id: 'changed_by', as: 'uuid-bytes' },
    },
  })
  const settings = { ...postgresSettings(database.port), 'publish.via.partition.root': 'true' }
  const precise = { 'decimal.handling.mode': 'precise', 'snapshot.mode': 'no_data' }
  const captured = [...tables, 'tenant', 'tenant_bytes'].map((table) => `public.${table}`).join(',')
  connect = await startConnect({
    kind: 'postgres',
    brokers: herald.brokers,
    connectors: {
      [rows]: {
        ...settings,
        ...precise,
        'slot.name': rows,
        'publication.name': rows,
        'table.include.list': captured,
        'time.precision.mode': 'isostring',
        'signal.data.collection': 'public.signals',
      },
      [schemas]: {
        ...settings,
        ...jsonWithSchemas,
        'slot.name': schemas,
        'publication.name': schemas,
        'table.include.list': 'public.times',
      },
    },
  })
}, 400_000)

afterAll(async () => {
  await connect?.stop()
  await herald?.stop()
  await database?.stop()
}, 60_000)

suite('rows of PostgreSQL', () => {
  test('an incremental snapshot is recorded or skipped', async () => {
    await database.sql(`insert into signals values ('a', 'execute-snapshot',
      '{"data-collections": ["public.kept", "public.passed"], "type": "incremental"}')`)
    const kept = [1, 2, 3, 4, 5].map((id): Entry => ['create', String(id), '', null, { id, name: `n${id}` }])
    expected(topicOf('kept')).push(...kept)
    await untilExpected(topicOf('kept'))
    await database.sql(`update passed set name = 'changed' where id = 1`)
    expected(topicOf('passed')).push(['update', '1', 'name', 'n1', 'changed'])
    await untilExpected(topicOf('passed'))
    for (const table of ['kept', 'passed']) {
      const records = (await herald.recordsOf(topicOf(table))).map((text) => JSON.parse(text.split('\n')[1] as string))
      const snapshot = records.filter(({ op }) => op === 'r')
      expect(snapshot.map(({ source }) => [source.snapshot, source.lsn])).toEqual(Array(5).fill(['incremental', null]))
    }
  })

  test('tenants with numbers, and with 16 bytes', async () => {
    await database.sql(`
      insert into tenant values ${tenants.map((id, n) => `(${n}, ${id}, 'T', 'ada')`).join()};
      insert into tenant_bytes values (1, decode('${bytesTenant.replaceAll('-', '')}', 'hex'), 'T',
        decode('${bytesTenant.replaceAll('-', '')}', 'hex'))`)
    for (const [n, id] of tenants.entries()) {
      const row = { id: n, tenant_id: id, name: 'T', changed_by: 'ada' }
      await herald.untilEntriesAre(deriveSubscriberId(String(id)), [['create', String(n), '', null, row]])
    }
    const bytes = Buffer.from(bytesTenant.replaceAll('-', ''), 'hex').toString('base64')
    const row = { id: 1, tenant_id: bytes, name: 'T', changed_by: bytes }
    await herald.untilEntriesAre(bytesTenant, [['create', '1', '', null, row]])
    expect(await herald.fullEntriesOf(bytesTenant)).toMatchObject([{ user: { id: bytesTenant } }])
  })

  test('decimals keep their digits, and a change of the last one is seen', async () => {
    await database.sql(`
      insert into money values (1, 'M', 9999999999999999.9999), (2, 'M', 12.50);
      update money set amount = 9999999999999999.9998 where id = 1;
      update money set amount = 12.25 where id = 2`)
    expected(topicOf('money')).push(
      ['create', '1', '', null, { id: 1, name: 'M', amount: '9999999999999999.9999' }],
      ['create', '2', '', null, { id: 2, name: 'M', amount: 12.5 }],
      ['update', '1', 'amount', '9999999999999999.9999', '9999999999999999.9998'],
      ['update', '2', 'amount', 12.5, 12.25],
    )
    await untilExpected(topicOf('money'))
  })

  test('dates and times are ISO 8601, by schemas and by isostring', async () => {
    await database.sql(`
      insert into times values (1, 'T', '2026-01-30', '2026-01-31 20:30:00.000001', '2026-01-31 20:30:00+02', '24:00',
        '1 day 02:03:04.5');
      update times set d = '2026-01-31' where id = 1`)
    const row = { id: 1, name: 'T', d: '2026-01-30' }
    const atz = '2026-01-31T18:30:00.000000Z'
    const bySchema = { at: '2026-01-31T20:30:00.000001', t: '24:00:00', i: 'PT26H3M4.5S' }
    const byConnector = { d: '2026-01-30Z', at: '2026-01-31T20:30:00.000001Z', t: '00:00:00Z', i: 93_784_500_000 }
    expected(topicOf('times', schemas)).push(
      ['create', '1', '', null, { ...row, ...bySchema, atz }],
      ['update', '1', 'd', '2026-01-30', '2026-01-31'],
    )
    expected(topicOf('times')).push(
      ['create', '1', '', null, { ...row, ...byConnector, atz }],
      ['update', '1', 'd', '2026-01-30Z', '2026-01-31Z'],
    )
    await untilExpected(topicOf('times', schemas), topicOf('times'))
    expect((await herald.recordsOf(topicOf('times', schemas))).join()).toContain('io.debezium.time.MicroDuration')
  })

  test('composite and multirange columns and stored generated ones are in no record', async () => {
    await database.sql(`insert into limits values (1, 'a', row('Y', '1'), '{[1,3)}');
      update limits set home = row('Z', '1'), spans = '{[1,4)}'; update limits set name = 'b'`)
    expected(topicOf('limits')).push(['create', '1', '', null, { id: 1, name: 'a' }], ['update', '1', 'name', 'a', 'b'])
    await untilExpected(topicOf('limits'))
  })

  test('a partition has a replica identity of its own: after its update the state of a delete is the key', async () => {
    await database.sql(`
      insert into part values (1, 'us', 'Ada'), (2, 'eu', 'Bo');
      update part set name = 'Ann' where id = 1;
      update part set name = 'Ben' where id = 2;
      delete from part where id = 2`)
    expected(topicOf('part')).push(
      ['create', '1', '', null, { id: 1, region: 'us', name: 'Ada' }],
      ['create', '2', '', null, { id: 2, region: 'eu', name: 'Bo' }],
      ['update', '1', 'name', 'Ada', 'Ann'],
      ['delete', '2', '', { id: 2, region: 'eu' }, null],
    )
    await untilExpected(topicOf('part'))
  })

  test('the only dead letter is the update of that partition, which says so', async () => {
    await herald.untilCaughtUp()
    expect(await herald.deadLetters()).toEqual([
      [topicOf('part'), 'before_missing', expect.stringContaining('each partition has a replica identity of its own')],
    ])
  })
})
