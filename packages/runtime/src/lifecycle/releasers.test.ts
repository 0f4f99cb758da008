import { expect, test } from '@jest/globals'
import { createReleasers } from './releasers.ts'

function createTestReleasers() {
  const events: string[] = []
  const write = (level: string) => (fields: { releaser: string }) => void events.push(`${level} ${fields.releaser}`)
  const logger = { info: write('info'), error: write('error') } as unknown as Parameters<typeof createReleasers>[0]
  return { events, releasers: createReleasers(logger) }
}

test('the last that was added is released first, each after the other', async () => {
  const { events, releasers } = createTestReleasers()
  for (const name of ['store', 'http', 'consumer']) {
    releasers.add(name, async () => {
      await new Promise(setImmediate)
      events.push(name)
    })
  }
  await releasers.releaseAll()
  expect(events).toEqual(['consumer', 'info consumer', 'http', 'info http', 'store', 'info store'])
})

test('one that hangs and one that throws are logged and passed over', async () => {
  const { events, releasers } = createTestReleasers()
  releasers.add('store', () => {})
  releasers.add('hangs', () => new Promise(() => {}), { limitMs: 20 })
  releasers.add('throws', () => {
    throw new Error('No')
  })
  releasers.add('rejects', () => Promise.reject(new Error('No')))
  await releasers.releaseAll()
  expect(events).toEqual(['error rejects', 'error throws', 'error hangs', 'info store'])
})

test('everything is released once, however often it is asked for', async () => {
  const { events, releasers } = createTestReleasers()
  releasers.add('store', () => void events.push('store'))
  await Promise.all([releasers.releaseAll(), releasers.releaseAll()])
  await releasers.releaseAll()
  expect(events).toEqual(['store', 'info store'])
})

test('what is added while all is being released, or afterwards, is released too', async () => {
  const { events, releasers } = createTestReleasers()
  releasers.add('first', () => releasers.add('late', () => {}))
  await releasers.releaseAll()
  expect(events).toEqual(['info first', 'info late'])
  releasers.add('later', () => {})
  await releasers.releaseAll()
  expect(events).toEqual(['info first', 'info late', 'info later'])
})
