import { expect, test } from '@jest/globals'
import { createReleasers } from './releasers.ts'

function createTestReleasers() {
  const events: string[] = []
  const write = (level: string) => (fields: { releaser: string }) => void events.push(`${level} ${fields.releaser}`)
  const logger = { info: write('info'), error: write('error') } as unknown as Parameters<typeof createReleasers>[0]
  return { events, releasers: createReleasers(logger) }
}

test('releases in reverse order, one after the other', async () => {
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

test('logs and skips releasers that hang, throw or reject', async () => {
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

test('releases each resource once, even when called several times', async () => {
  const { events, releasers } = createTestReleasers()
  releasers.add('store', () => void events.push('store'))
  await Promise.all([releasers.releaseAll(), releasers.releaseAll()])
  await releasers.releaseAll()
  expect(events).toEqual(['store', 'info store'])
})

test('releases resources that are added during or after the release', async () => {
  const { events, releasers } = createTestReleasers()
  releasers.add('first', () => releasers.add('late', () => {}))
  await releasers.releaseAll()
  expect(events).toEqual(['info first', 'info late'])
  releasers.add('later', () => {})
  await releasers.releaseAll()
  expect(events).toEqual(['info first', 'info late', 'info later'])
})
