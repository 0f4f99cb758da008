import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { root } from './overlays.ts'

const script = readFileSync(`${root}deploy/mongodb/shard.mongosh.js`, 'utf8')
const names = ['notifications', 'change-entries', 'log-pages', 'fan-outs']
type State = { router?: boolean; collections?: string[]; filled?: string[]; sharded?: string[] }

/** Runs the script without a cluster, and returns the commands that mongosh would send to a router. */
function commandsOf({ router = true, collections = names, filled = [], sharded = [] }: State): unknown[][] {
  const commands: unknown[][] = []
  const record =
    (name: string) =>
    (...args: unknown[]) =>
      commands.push([name, ...args])
  const one = (isThere: boolean) => (isThere ? {} : null)
  const db = {
    getName: () => 'herald',
    hello: () => (router ? { msg: 'isdbgrid' } : {}),
    getCollectionNames: () => collections,
    adminCommand: () => ({ shards: [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }] }),
    getCollection: (name: string) => ({ findOne: () => one(filled.includes(name)) }),
    getSiblingDB: () => ({
      getCollection: () => ({ findOne: ({ _id }: { _id: string }) => one(sharded.includes(_id)) }),
    }),
  }
  const sh = Object.fromEntries(
    ['enableSharding', 'shardCollection', 'splitAt', 'moveChunk'].map((name) => [name, record(name)]),
  )
  runInNewContext(script, { db, sh, Binary: { createFromHexString: (hex: string) => hex } })
  return commands
}

test('shards each large collection by _id, and spreads empty ranges with bounds as long as the ids', () => {
  const commands = commandsOf({})
  const sharded = commands.filter(([name]) => name === 'shardCollection')
  expect(sharded).toEqual(names.map((name) => ['shardCollection', `herald.${name}`, { _id: 1 }]))
  const moved = commands.filter(([name]) => name === 'moveChunk')
  expect(commands.filter(([name]) => name === 'splitAt')).toHaveLength(4 * 15)
  expect(moved[0]).toEqual(['moveChunk', 'herald.notifications', { _id: `10${'00'.repeat(47)}` }, 'b'])
  expect(moved[16]).toEqual(['moveChunk', 'herald.change-entries', { _id: `20${'00'.repeat(31)}` }, 'c'])
  expect(new Set(moved.map(([, , , shard]) => shard))).toEqual(new Set(['a', 'b', 'c']))
})

test('leaves documents to the balancer, and sharded collections as they are', () => {
  const commands = commandsOf({ filled: ['notifications'], sharded: ['herald.fan-outs'] })
  const namespaces = (command: string) =>
    new Set(commands.filter(([name]) => name === command).map(([, namespace]) => namespace))
  expect(namespaces('shardCollection')).toEqual(
    new Set(['herald.notifications', 'herald.change-entries', 'herald.log-pages']),
  )
  expect(namespaces('moveChunk')).toEqual(new Set(['herald.change-entries', 'herald.log-pages']))
})

test('rejects a server that is no router, and a database without collections', () => {
  expect(() => commandsOf({ router: false })).toThrow('Connect to a router')
  expect(() => commandsOf({ collections: ['fan-outs'] })).toThrow('herald lacks notifications, change-entries')
})
