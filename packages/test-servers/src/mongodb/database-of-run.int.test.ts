import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { databaseOfRun, databaseOfWorker, dropDatabasesOfRun, emptyDatabase, migrateOnce } from './database-of-run.ts'

const uri = process.env.MONGODB_URI ?? ''
const client = new MongoClient(uri)
const name = databaseOfWorker()
const database = client.db(name)

beforeEach(() => dropDatabasesOfRun(uri))
afterAll(() => client.close())

test('is migrated by the first caller, and the others wait; then it is only emptied', async () => {
  const migrations: string[] = []
  const migrate = async () => {
    migrations.push('started')
    await database.createCollection('made')
    migrations.push('ended')
  }
  const call = async () => {
    await migrateOnce(uri, name, migrate)
    return [...migrations]
  }
  expect(await Promise.all([call(), call(), call()])).toEqual(Array(3).fill(['started', 'ended']))

  await database.collection('made').insertOne({ by: 'a file' })
  await emptyDatabase(uri, name)
  expect(await database.collection('made').countDocuments()).toBe(0)
  expect(await call()).toEqual(['started', 'ended'])
})

test('a migration that fails, fails for all callers', async () => {
  const fail = () => Promise.reject(new Error('no disk'))
  const outcomes = await Promise.allSettled([migrateOnce(uri, name, fail), migrateOnce(uri, name, fail)])
  const failed = { status: 'rejected', reason: { message: expect.stringContaining('no disk') } }
  expect(outcomes).toMatchObject([failed, failed])
})

test('all databases of the run are dropped, and no other', async () => {
  const other = client.db(databaseOfRun().replace('run', 'other'))
  for (const one of [database, client.db(databaseOfRun()), other]) await one.collection('made').insertOne({})
  await dropDatabasesOfRun(uri)
  const left = (await client.db().admin().listDatabases()).databases.map((one) => one.name)
  expect(left).not.toContain(name)
  expect(left).not.toContain(databaseOfRun())
  expect(left).toContain(other.databaseName)
  await other.dropDatabase()
})
