import { expect, test } from '@jest/globals'
import { StorageUnavailableError } from '../storage-errors.ts'
import { createReadingRoom } from './reading-room.ts'

/** Starts a read that ends when `end` or `fail` is called. */
function startRead(room: ReturnType<typeof createReadingRoom>, bytes: number) {
  const gate = Promise.withResolvers<void>()
  const read = { isRunning: false, end: gate.resolve, fail: gate.reject, result: Promise.resolve() as Promise<void> }
  read.result = room.within(bytes, () => {
    read.isRunning = true
    return gate.promise
  })
  read.result.catch(() => {})
  return read
}

const settle = () => new Promise(setImmediate)

test('runs reads concurrently while they fit, then in order', async () => {
  const room = createReadingRoom(10)
  const [first, second, large, small] = [4, 4, 8, 1].map((bytes) => startRead(room, bytes))
  await settle()
  expect([first, second, large, small].map((read) => read?.isRunning)).toEqual([true, true, false, false])
  first?.end()
  await settle()
  expect(large?.isRunning).toBe(false)
  second?.fail(new Error('Away'))
  await settle()
  expect([large?.isRunning, small?.isRunning]).toEqual([true, true])
})

test('runs a read that exceeds the limit without others', async () => {
  const room = createReadingRoom(10)
  const large = startRead(room, 100)
  const small = startRead(room, 1)
  await settle()
  expect([large.isRunning, small.isRunning]).toEqual([true, false])
  large.end()
  await settle()
  expect(small.isRunning).toBe(true)
})

test('rejects a read that waits too long with StorageUnavailableError, and admits the next one', async () => {
  const room = createReadingRoom(10, 20)
  const first = startRead(room, 8)
  const large = startRead(room, 8)
  const small = startRead(room, 2)
  await expect(large.result).rejects.toBeInstanceOf(StorageUnavailableError)
  await settle()
  expect([large.isRunning, small.isRunning]).toEqual([false, true])
  first.end()
})
