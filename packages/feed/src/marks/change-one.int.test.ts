import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { databaseOfRun } from '@herald/test-servers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { BSON, type CommandStartedEvent, MongoClient } from 'mongodb'
import { changeOne } from './change-one.ts'

type Thing = { _id: number; unread?: true; version: number }

const uri = process.env.MONGODB_URI ?? ''
const options = { monitorCommands: true, writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 } } as const
const client = new MongoClient(uri, options)
const database = client.db(databaseOfRun())
const collection = database.collection<Thing>(`change-one-${randomUUID()}`)
const read = [
  { _id: 1, unread: true },
  { $unset: { unread: true }, $inc: { version: 1 } },
] as const

beforeAll(() => client.connect())
beforeEach(async () => void (await collection.replaceOne({ _id: 1 }, { unread: true, version: 0 }, { upsert: true })))
afterAll(async () => {
  await collection.drop()
  await client.close()
})

test('returns the changed document, confirmed by a majority, without a record of the transaction', async () => {
  const commands: Record<string, unknown>[] = []
  const note = ({ command }: CommandStartedEvent) => void commands.push(command)
  client.on('commandStarted', note)
  const changed = await changeOne(collection, ...read)
  expect(await changeOne(collection, ...read)).toBeNull()
  client.off('commandStarted', note)
  expect(BSON.deserialize(changed as Buffer)).toEqual({ _id: 1, version: 1 })
  expect(commands.map(({ writeConcern, txnNumber }) => [writeConcern, txnNumber])).toEqual(
    Array(2).fill([{ w: 'majority', wtimeout: 5_000, j: true }, undefined]),
  )
})

test('fails if the write is not confirmed', async () => {
  const hasTooFew = database.collection<Thing>(collection.collectionName, { writeConcern: { w: 9, wtimeoutMS: 1 } })
  await expect(changeOne(hasTooFew, ...read)).rejects.toThrow('Not enough data-bearing nodes')
})

test.each(['request', 'response'])('if the connection is lost with the %s, the change is made once', async (part) => {
  const target = client.options.hosts[0] as { host: string; port: number }
  const sockets = new Set<Socket>()
  let isLost = false
  const server = createServer((socket) => {
    const upstream = connect(target.port, target.host)
    for (const one of [socket, upstream]) sockets.add(one.on('error', () => {}))
    let loses = false
    socket.on('data', (data: Buffer) => {
      loses = !isLost && data.includes('findAndModify')
      if (loses && part === 'request') {
        isLost = true
        socket.resetAndDestroy()
      } else upstream.write(data)
    })
    upstream.on('data', (data: Buffer) => {
      if (!loses) return void socket.write(data)
      isLost = true
      socket.resetAndDestroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const other = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, options)
  try {
    const through = other.db(database.databaseName).collection<Thing>(collection.collectionName)
    await changeOne(through, ...read)
    expect(isLost).toBe(true)
    expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, version: 1 })
  } finally {
    await other.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})
