import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createBinlogRows } from './binlog-rows.ts'
import { type CapturedHerald, type Entry, newPrefix, startCapturedHerald } from './captured-herald.ts'
import { jsonWithSchemas, type StartedConnect, startConnect, whyNoConnect } from './connect.ts'
import type { StartedDatabase } from './databases.ts'
import { byTable, mappingOf, subscribers } from './mappings.ts'
import { entriesOfSharedStatements, sharedStatements } from './shared-statements.ts'

export type BinlogDatabase = {
  readonly name: string
  readonly kind: 'mariadb' | 'mysql'
  /** Why it cannot run here. */
  readonly why: string | undefined
  readonly start: () => Promise<StartedDatabase>
  /** Its text of the JSON value `[1, 2]`. */
  readonly json: string
}

/** The tests of a database whose connector reads a binary log. */
export async function testBinlogDatabase({ name, kind, why: whyNoDatabase, start, json }: BinlogDatabase) {
  const why = (await whyNoConnect()) ?? whyNoDatabase
  if (why) console.warn(`Skipped ${name}: ${why}.`)

  const shop = newPrefix(kind)
  const schemas = newPrefix(`${kind}sc`)
  const transactions = newPrefix(`${kind}tx`)
  const prefixes = [shop, schemas, transactions]
  const customers = prefixes.map((prefix) => `${prefix}.shop.customer`)
  const notes = prefixes.map((prefix) => `${prefix}.shop.nokey`)
  const subscriber = subscribers([...customers, ...notes])
  const rows = createBinlogRows(kind, shop, schemas)

  let database: StartedDatabase
  let histories: string
  let herald: CapturedHerald
  let connect: StartedConnect

  const expected = byTable<Entry>()
  const untilExpected = async (topics: readonly string[]) => {
    for (const topic of topics) await herald.untilEntriesAre(subscriber(topic), expected(topic))
  }

  beforeAll(async () => {
    if (why) return
    database = await start()
    histories = await mkdtemp(join(tmpdir(), 'herald-histories-'))
    await database.sql(`
    create table customer (id bigint primary key, name varchar(50) not null, email varchar(50), big bigint,
      ubig bigint unsigned, amount decimal(20,4), doc json, secret varchar(50));
    create table nokey (a int, b text);
    insert into customer (id, name, secret) values (1, 'Ada', 'hush');
    ${rows.schema}`)
    const snapshot = { snapshot: 'record' }
    herald = await startCapturedHerald(shop, {
      ...rows.mappings,
      ...Object.fromEntries(
        customers.map((topic) => [
          topic,
          mappingOf(subscriber(topic), 'customer', { redact: ['secret'], ...snapshot }),
        ]),
      ),
      ...Object.fromEntries(
        notes.map((topic) => [topic, { ...mappingOf(subscriber(topic), 'note'), entityId: 'a', entityTitle: 'b' }]),
      ),
    })
    const settings = (prefix: string, serverId: number) => ({
      'database.hostname': '127.0.0.1',
      'database.port': database.port,
      'driver.allowPublicKeyRetrieval': 'true',
      'database.user': 'cdc',
      'database.password': 'cdc',
      'database.server.id': serverId,
      'database.include.list': 'shop',
      'decimal.handling.mode': 'string',
      'bigint.unsigned.handling.mode': 'precise',
      ...rows.settings,
      'schema.history.internal': 'io.debezium.storage.file.history.FileSchemaHistory',
      'schema.history.internal.file.filename': join(histories, prefix),
    })
    connect = await startConnect({
      kind,
      brokers: herald.brokers,
      connectors: {
        [shop]: { ...settings(shop, 1001), ...rows.ofFirst },
        [schemas]: { ...settings(schemas, 1002), ...jsonWithSchemas },
        [transactions]: { ...settings(transactions, 1003), 'provide.transaction.metadata': 'true' },
      },
    })
  }, 400_000)

  afterAll(async () => {
    await connect?.stop()
    await herald?.stop()
    await database?.stop()
    if (histories) await rm(histories, { recursive: true })
  }, 60_000)

  const row = (id: number, fields: Record<string, unknown> = {}) => ({
    id,
    name: 'Bo',
    email: null,
    big: null,
    ubig: null,
    amount: null,
    doc: null,
    secret: '[redacted]',
    ...fields,
  })

  const suite = why ? describe.skip : describe

  suite(name, () => {
    test('a snapshot is recorded', async () => {
      for (const topic of customers) expected(topic).push(['create', '1', '', null, row(1, { name: 'Ada' })])
      await untilExpected(customers)
    })

    test('inserts, updates and deletes, in every form of the record', async () => {
      await database.sql(`
      insert into customer values (2, 'Bo', null, 9007199254740993, 9007199254740993, 1234.5, '[1, 2]', 'a');
      update customer set email = 'bo@example.org' where id = 2;
      update customer set name = 'Bob', big = -9007199254740995, amount = 99.9, secret = 'b' where id = 2;
      update customer set name = name where id = 2;
      delete from customer where id = 2`)
      for (const topic of customers) {
        const ubig = '9007199254740993'
        const created = row(2, { big: '9007199254740993', ubig, amount: '1234.5000', doc: json })
        const last = { ...created, name: 'Bob', email: 'bo@example.org', big: '-9007199254740995', amount: '99.9000' }
        expected(topic).push(
          ['create', '2', '', null, created],
          ['update', '2', 'email', null, 'bo@example.org'],
          ['update', '2', 'name', 'Bo', 'Bob'],
          ['update', '2', 'big', '9007199254740993', '-9007199254740995'],
          ['update', '2', 'amount', '1234.5000', '99.9000'],
          ['update', '2', 'secret', '[redacted]', '[redacted]'],
          ['delete', '2', '', last, null],
        )
      }
      await untilExpected(customers)
    })

    test('a changed primary key, several rows, REPLACE, ON DUPLICATE KEY, and a transaction', async () => {
      await database.sql(`
      ${sharedStatements}
      replace into customer (id, name) values (30, 'Bob');
      insert into customer (id, name) values (30, 'Bo') on duplicate key update name = 'Bobby';
      delete from customer where id in (4, 5, 30)`)
      for (const topic of customers) {
        expected(topic).push(
          ...entriesOfSharedStatements(row),
          ['update', '30', 'name', 'Bo', 'Bob'],
          ['update', '30', 'name', 'Bob', 'Bobby'],
          ...[4, 5].map((id): Entry => ['delete', String(id), '', row(id, { email: 'a' }), null]),
          ['delete', '30', '', row(30, { name: 'Bobby' }), null],
        )
      }
      await untilExpected(customers)
    })

    test('a table without a key', async () => {
      await database.sql(`insert into nokey values (1, 'x'), (1, 'x'); delete from nokey`)
      for (const topic of notes) {
        expected(topic).push(
          ...[1, 2].map((): Entry => ['create', '1', '', null, { a: 1, b: 'x' }]),
          ...[1, 2].map((): Entry => ['delete', '1', '', { a: 1, b: 'x' }, null]),
        )
      }
      await untilExpected(notes)
    })

    test('a truncate and a changed table make no entry', async () => {
      await database.sql(`
      truncate customer;
      flush binary logs;
      alter table customer add extra varchar(5) default 'd';
      insert into customer (id, name) values (8, 'Bo')`)
      for (const topic of customers) expected(topic).push(['create', '8', '', null, row(8, { extra: 'd' })])
      await untilExpected(customers)
    })

    test('a connector that is killed and restarted loses and doubles nothing', async () => {
      await database.sql(`
      insert into customer (id, name) values (9, 'Bo');
      update customer set email = 'a' where id = 9`)
      for (const topic of customers) {
        expected(topic).push(['create', '9', '', null, row(9, { extra: 'd' })], ['update', '9', 'email', null, 'a'])
      }
      await untilExpected(customers)
      await connect.untilOffsetsAreFlushed()
      connect.kill('SIGKILL')
      await connect.exited
      await database.sql(`update customer set email = 'b' where id = 9; delete from customer where id = 9`)
      await connect.restart()
      for (const topic of customers) {
        expected(topic).push(
          ['update', '9', 'email', 'a', 'b'],
          ['delete', '9', '', row(9, { extra: 'd', email: 'b' }), null],
        )
      }
      await untilExpected(customers)
    })

    rows.test(() => ({ database, herald }))

    test('there are no dead letters, and nothing else was recorded', async () => {
      await herald.untilCaughtUp()
      expect(await herald.deadLetters()).toEqual([])
      await untilExpected([...customers, ...notes])
    })
  })
}
