import { afterAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { databaseOfRun, dropDatabaseOfRun, migrateOnce } from './database-of-run.ts'

const uri = process.env.MONGODB_URI ?? ''
const client = new MongoClient(uri)
const database = client.db(databaseOfRun())

afterAll(() => client.close())

test('is migrated by the first caller; the others wait, and fail as it did', async () => {
  const migrations: string[] = []
  const migrate = async () => {
    migrations.push('started')
    await database.createCollection('made')
    migrations.push('ended')
  }
  const call = async () => {
    await migrateOnce(uri, migrate)
    return [...migrations]
  }
  expect(await Promise.all([call(), call(), call()])).toEqual(Array(3).fill(['started', 'ended']))
  expect(await call()).toEqual(['started', 'ended'])

  await dropDatabaseOfRun(uri)
  expect(await database.listCollections().toArray()).toEqual([])
  const fail = () => Promise.reject(new Error('no disk'))
  const outcomes = await Promise.allSettled([migrateOnce(uri, fail), migrateOnce(uri, fail)])
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('no disk') } })
  }
})
