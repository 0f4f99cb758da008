import { randomUUID } from 'node:crypto'
import { deriveSubscriberId } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import type { CapturedHerald, Entry, Mappings } from './captured-herald.ts'
import type { StartedDatabase } from './databases.ts'
import { mappingOf } from './mappings.ts'

/** The connector stops at a row of `hidden`, whose columns of the period are invisible, if it captures the table. */
const versionedTables = `
    create table versioned (id bigint primary key, name varchar(50), s timestamp(6) generated always as row start,
      e timestamp(6) generated always as row end, period for system_time (s, e)) with system versioning;
    create table hidden (id bigint primary key, name varchar(50)) with system versioning;`

type Started = { readonly database: StartedDatabase; readonly herald: CapturedHerald }

/** Tables whose rows are special, of a connector with plain JSON (`shop`) and of one with schemas. */
export function createBinlogRows(kind: 'mariadb' | 'mysql', shop: string, schemas: string) {
  const ids = new Map<string, string>()
  const subscriber = (topic: string) => {
    const id = ids.get(topic) ?? randomUUID()
    ids.set(topic, id)
    return id
  }
  const topicOf = (table: string, prefix = shop) => `${prefix}.shop.${table}`
  const bytesTenant = randomUUID()
  const hex = bytesTenant.replaceAll('-', '')
  const tenant = 2 ** 40 + Math.floor(Math.random() * 2 ** 40)
  const mapping = (topic: string, more: object = {}) => [topic, mappingOf(subscriber(topic), 'row', { ...more })]
  const versioned = kind === 'mariadb' ? [topicOf('versioned')] : []

  return {
    schema: `
    create table signals (id varchar(42) primary key, type varchar(32) not null, data varchar(2048));
    create table kept (id bigint primary key, name varchar(50)); create table passed like kept;
    insert into kept values (1, 'n1'), (2, 'n2'), (3, 'n3');
    insert into passed select * from kept;
    create table tenant (id bigint unsigned primary key, tenant_id bigint unsigned, name varchar(50), changed_by varchar(50));
    create table tenant_bytes (id binary(16) primary key, tenant_id binary(16), name varchar(50), changed_by binary(16));
    create table times (id bigint primary key, name varchar(50), d date, at datetime(6), ts timestamp(6) null, t time(3), y year);
    create table parent (id bigint primary key, name varchar(50));
    create table child (id bigint primary key, name varchar(50), parent_id bigint,
      foreign key (parent_id) references parent (id) on delete cascade);
${kind === 'mariadb' ? versionedTables : ''}`,
    mappings: {
      ...Object.fromEntries([
        mapping(topicOf('kept'), { snapshot: 'record' }),
        ...['passed', 'times', 'parent', 'child'].map((table) => mapping(topicOf(table))),
        ...versioned.map((topic) => mapping(topic)),
        mapping(topicOf('times', schemas)),
      ]),
      [topicOf('tenant')]: {
        ...mappingOf('', 'row', { user: { id: 'changed_by', derive: true } }),
        subscriberId: { id: 'tenant_id', derive: true },
      },
      [topicOf('tenant_bytes')]: {
        ...mappingOf('', 'row', { user: { id: 'changed_by', as: 'uuid-bytes' } }),
        subscriberId: { id: 'tenant_id', as: 'uuid-bytes' },
      },
    } as Mappings,
    settings: { 'table.exclude.list': 'shop.hidden' },
    ofFirst: { 'signal.data.collection': 'shop.signals' },

    test(started: () => Started) {
      const sql = (statements: string) => started().database.sql(statements)
      const untilEntriesAre = (topic: string, entries: readonly Entry[]) =>
        started().herald.untilEntriesAre(subscriber(topic), entries)

      test('an incremental snapshot is recorded or skipped', async () => {
        const records = async (table: string) => started().herald.countRecords(topicOf(table))
        expect(await records('kept')).toBe(3)
        await sql(`insert into signals values ('a', 'execute-snapshot',
          '{"data-collections": ["shop.kept", "shop.passed"], "type": "incremental"}')`)
        const rows = [1, 2, 3].map((id): Entry => ['create', String(id), '', null, { id, name: `n${id}` }])
        await untilEntriesAre(topicOf('kept'), [...rows, ...rows])
        await sql(`update passed set name = 'changed' where id = 1`)
        await untilEntriesAre(topicOf('passed'), [['update', '1', 'name', 'n1', 'changed']])
        expect(await records('passed')).toBe(7)
      })

      test('tenants with unsigned numbers, and with BINARY(16)', async () => {
        const binary = `x'${hex}'`
        await sql(`
          insert into tenant values (18446744073709551615, ${tenant}, 'T', 'ada');
          insert into tenant_bytes values (${binary}, ${binary}, 'T', ${binary})`)
        const id = '18446744073709551615'
        const row = { id, tenant_id: tenant, name: 'T', changed_by: 'ada' }
        await started().herald.untilEntriesAre(deriveSubscriberId(String(tenant)), [['create', id, '', null, row]])
        const bytes = Buffer.from(hex, 'hex').toString('base64')
        const rowOfBytes = { id: bytes, tenant_id: bytes, name: 'T', changed_by: bytes }
        await started().herald.untilEntriesAre(bytesTenant, [['create', bytes, '', null, rowOfBytes]])
        const user = { id: bytesTenant }
        expect(await started().herald.fullEntriesOf(bytesTenant)).toMatchObject([{ user }])
      })

      test('dates and times are ISO 8601 where the record has its schema', async () => {
        await sql(`
          insert into times values (1, 'T', '2026-01-30', '2026-01-31 20:30:00.000001', '2026-01-31 18:30:00', '-838:59:59', 2026);
          update times set t = '10:00:00.5' where id = 1`)
        const row = { id: 1, name: 'T', ts: expect.stringMatching(/^2026-01-31T\d\d:30:00(\.000000)?Z$/) }
        const iso = { ...row, d: '2026-01-30', at: '2026-01-31T20:30:00.000001', t: '-PT838H59M59S', y: '2026' }
        const numbers = { ...row, d: 20_483, at: 1_769_891_400_000_001, t: -3_020_399_000_000, y: 2026 }
        await untilEntriesAre(topicOf('times', schemas), [
          ['create', '1', '', null, iso],
          ['update', '1', 't', '-PT838H59M59S', '10:00:00.5'],
        ])
        await untilEntriesAre(topicOf('times'), [
          ['create', '1', '', null, numbers],
          ['update', '1', 't', -3_020_399_000_000, 36_000_500_000],
        ])
      })

      test('a cascade of a foreign key is in no record, except since MySQL 9.6', async () => {
        const [major = 0, minor = 0] = (await sql('select version()')).split('.').map(Number)
        const isLogged = kind === 'mysql' && (major > 9 || (major === 9 && minor >= 6))
        await sql(`
          insert into parent values (1, 'P'); insert into child values (1, 'C', 1);
          delete from parent where id = 1; insert into child values (2, 'last', null)`)
        const child = { id: 1, name: 'C', parent_id: 1 }
        await untilEntriesAre(topicOf('child'), [
          ['create', '1', '', null, child],
          ...(isLogged ? ([['delete', '1', '', child, null]] as const) : []),
          ['create', '2', '', null, { id: 2, name: 'last', parent_id: null }],
        ])
        await untilEntriesAre(topicOf('parent'), [
          ['create', '1', '', null, { id: 1, name: 'P' }],
          ['delete', '1', '', { id: 1, name: 'P' }, null],
        ])
      })

      if (kind === 'mysql') return
      test('a system-versioned table makes an entry for each former row', async () => {
        await sql(`
          insert into hidden values (1, 'a'); update hidden set name = 'b';
          insert into versioned (id, name) values (1, 'a'); update versioned set name = 'b'`)
        const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT/)
        const row = { id: 1, name: 'a', s: time, e: time }
        await untilEntriesAre(topicOf('versioned'), [
          ['create', '1', '', null, row],
          ['update', '1', 'name', 'a', 'b'],
          ['update', '1', 's', time, time],
          ['create', '1', '', null, row],
        ])
      })
    },
  }
}
