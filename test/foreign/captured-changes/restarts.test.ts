import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type CapturedHerald, type Entry, newPrefix, startCapturedHerald } from './captured-herald.ts'
import { postgresSettings, type StartedConnect, startConnect, whyNoConnect } from './connect.ts'
import { type StartedDatabase, startPostgres, whyNoPostgres } from './databases.ts'
import { mappingOf, subscribers } from './mappings.ts'

/** The database records its own history by triggers, which is compared with the entries. */
const schema = `
  create table account (id bigint primary key, name text, balance bigint, note text);
  alter table account replica identity full;
  create table history (seq bigserial primary key, action text, id bigint, field text, before jsonb, after jsonb);
  create function record() returns trigger language plpgsql as $$
  declare
    field text;
    old_row jsonb := case when tg_op = 'INSERT' then null else to_jsonb(old) end;
    new_row jsonb := case when tg_op = 'DELETE' then null else to_jsonb(new) end;
  begin
    if tg_op = 'INSERT' or tg_op = 'DELETE' or old.id <> new.id then
      if old_row is not null then insert into history values (default, 'delete', old.id, '', old_row, null); end if;
      if new_row is not null then insert into history values (default, 'create', new.id, '', null, new_row); end if;
    else
      for field in select key from jsonb_each(new_row) where value is distinct from old_row -> key loop
        insert into history values (default, 'update', new.id, field, old_row -> field, new_row -> field);
      end loop;
    end if;
    return null;
  end $$;
  create trigger record after insert or update or delete on account for each row execute function record()`

/** Inserts, updates of one and of several fields, key changes, deletes, rows several times in a transaction. */
const statementsOf = (n: number) => `
  insert into account values (${n}, 'a', 0, null), (${n} + 1000000, 'b', 0, null);
  update account set balance = balance + ${n} where id in (${n}, ${n} + 1000000);
  begin;
  update account set balance = 1, note = 'x' where id = ${n};
  update account set balance = 2, note = null where id = ${n};
  update account set balance = 1, note = 'x' where id = ${n};
  commit;
  update account set id = id + 2000000 where id = ${n} and ${n} % 10 = 0;
  delete from account where id = ${n} + 1000000;`
/** History rows of each: 2, 2, 6, 0.2, 1. */
const changesPerRound = 11

const why = (await whyNoConnect()) ?? whyNoPostgres()
if (why) console.warn(`Skipped restarts of connectors: ${why}.`)
const suite = why ? describe.skip : describe
const changes = Number(process.env.HERALD_CAPTURED_CHANGES ?? 5_000)
const kills = 6
const prefix = newPrefix('re')
const topic = `${prefix}.public.account`
const subscriber = subscribers([topic])

let database: StartedDatabase
let herald: CapturedHerald
let connect: StartedConnect

beforeAll(async () => {
  if (why) return
  database = await startPostgres()
  await database.sql(schema)
  herald = await startCapturedHerald(prefix, {
    [topic]: mappingOf(subscriber(topic), 'account', { replicaIdentity: 'full' }),
  })
  connect = await startConnect({
    kind: 'postgres',
    brokers: herald.brokers,
    connectors: {
      [prefix]: {
        ...postgresSettings(database.port),
        'slot.name': prefix,
        'publication.name': prefix,
        'table.include.list': 'public.account',
      },
    },
  })
  await database.sql(statementsOf(0))
  await connect.untilOffsetsAreFlushed()
}, 400_000)

afterAll(async () => {
  await connect?.stop()
  await herald?.stop()
  await database?.stop()
}, 60_000)

async function history(): Promise<string[]> {
  const rows = await database.sql(`
    select json_build_array(action, id::text, field, before, after) from history`)
  const entries = rows
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry)
  return entries.map(toText).sort()
}

/** With sorted keys, because `jsonb` has another order. */
const toText = (entry: Entry) =>
  JSON.stringify(entry, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )

suite('a connector and ingest are killed again and again', () => {
  test(
    `the entries are the history of the database, ${changes} changes`,
    async () => {
      const rounds = Math.ceil(changes / changesPerRound / kills / 2)
      let next = 1
      const write = async () => {
        const batch = Array.from({ length: rounds }, () => statementsOf(next++))
        for (let first = 0; first < rounds; first += 100) await database.sql(batch.slice(first, first + 100).join('\n'))
      }
      for (let kill = 0; kill < kills; kill++) {
        await write()
        // Offsets are flushed every 2 s: what was sent since then is sent again.
        await pause(500 + Math.random() * 2_000)
        const victim = kill % 2 === 0 ? connect : herald.herald.ingest
        victim.kill('SIGKILL')
        await victim.exited
        await Promise.all([write(), victim.restart()])
      }
      const wanted = await history()
      expect(wanted.length).toBeGreaterThanOrEqual(changes)
      await untilEntries(wanted.length)
      const found = (await herald.entriesOf(subscriber(topic))).map(toText).sort()
      expect({ lost: missingIn(found, wanted), doubled: missingIn(wanted, found) }).toEqual({ lost: [], doubled: [] })
      expect(await herald.deadLetters()).toEqual([])
      console.info(`${wanted.length} changes, ${kills} kills, ${await delivered()} records delivered`)
    },
    30 * 60_000,
  )
})

/** Waits until there are so many entries, and until nothing is left that could double them. */
async function untilEntries(count: number): Promise<void> {
  const deadline = Date.now() + 10 * 60_000
  while ((await herald.entriesOf(subscriber(topic))).length < count) {
    if (Date.now() > deadline) break
    await pause(5_000)
  }
  await herald.untilCaughtUp()
}

/** The first elements of one sorted list that the other lacks, with how often. */
function missingIn(list: readonly string[], wanted: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1)
  return wanted
    .filter((one) => {
      const left = counts.get(one) ?? 0
      counts.set(one, left - 1)
      return left <= 0
    })
    .slice(0, 10)
}

/** Records on the topic, with those that were delivered again. */
const delivered = () => herald.countRecords(topic)
