import type { Entry } from './captured-herald.ts'

type RowOf = (id: number, fields?: Record<string, unknown>) => Record<string, unknown>

/** A changed primary key, several rows in one statement, and a row that a transaction changes three times. */
export const sharedStatements = `
  insert into customer (id, name) values (3, 'Bo');
  update customer set id = 30 where id = 3;
  insert into customer (id, name) values (4, 'Bo'), (5, 'Bo');
  begin;
  update customer set email = 'a' where id in (4, 5);
  update customer set email = null where id = 4;
  update customer set email = 'a' where id = 4;
  commit;`

export const entriesOfSharedStatements = (row: RowOf): Entry[] => [
  ...[3, 30, 4, 5].map((id): Entry => ['create', String(id), '', null, row(id)]),
  ['delete', '3', '', row(3), null],
  ['update', '4', 'email', null, 'a'],
  ['update', '5', 'email', null, 'a'],
  ['update', '4', 'email', 'a', null],
  ['update', '4', 'email', null, 'a'],
]
