import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { planCollections } from './collections/collection-plans.ts'

type Privilege = { readonly resource: { readonly collection: string }; readonly actions: readonly string[] }
type Command = { readonly createRole: string; readonly privileges: readonly Privilege[] }

const script = readFileSync(new URL('../../../deploy/mongodb/roles.mongosh.js', import.meta.url), 'utf8')

/** The collections that the role of each program writes to, by deploy/mongodb/roles.mongosh.js; '' is every one. */
function writtenBy(): Record<string, string[]> {
  const roles: Record<string, string[]> = {}
  const runCommand = ({ createRole, privileges = [] }: Partial<Command>) => {
    const writes = privileges.filter(({ actions }) =>
      ['insert', 'update', 'remove'].some((one) => actions.includes(one)),
    )
    if (createRole) roles[createRole] = writes.map(({ resource }) => resource.collection).sort()
    return { ok: 1, roles: [] }
  }
  new Function('db', script)({ getName: () => 'herald', runCommand })
  return roles
}

test('every collection is written by the role of a program, and the logs by that of seal alone', () => {
  const written = writtenBy()
  const { 'herald-migrate': migrate, 'herald-operator': operator, ...services } = written
  expect([migrate, operator]).toEqual([[''], ['group-notes', 'leases', 'stream-keys']])
  const names = planCollections(undefined).map(({ name }) => name)
  expect([...new Set(Object.values(services).flat())].sort()).toEqual(names.toSorted())
  const writers = (name: string) => Object.keys(services).filter((role) => services[role]?.includes(name))
  const logs = names.filter((name) => name.startsWith('log-'))
  expect(logs.map(writers)).toEqual(logs.map(() => ['herald-seal']))
})
