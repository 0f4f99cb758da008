import { readFileSync } from 'node:fs'
import { createNotificationSchema, defaultTopics, events } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { decide } from './events/decide.ts'
import { recordOf } from './events/records.fixture.ts'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

/** The records that the kcat commands of the README publish. */
const published = [...readme.matchAll(/^echo '(.+)' \|\n((?:.*\\\n)*.*)/gm)].map(([, value = '', command = '']) => {
  const headers = [...command.matchAll(/-H ([^= ]+)=(\S+)/g)].map(([, name = '', text = '']) => [name, text])
  return recordOf(value, Object.fromEntries(headers))
})

test('the events in the README are valid, one in each content mode', () => {
  const [structured, binary, ...more] = published
  if (!structured || !binary) throw new Error('The README does not have two kcat commands')
  expect(decide(structured, 'change', { now: new Date() })).toMatchObject({ kind: 'change-entries' })
  expect(decide(binary, 'mention', { now: new Date() })).toMatchObject({ kind: 'notification' })
  expect(more).toEqual([])
})

test('the request body in the README is valid', () => {
  const body = JSON.parse(/-d '(\{[^']+\})'/.exec(readme)?.[1] ?? '')
  expect(createNotificationSchema.safeParse(body).error).toBeUndefined()
})

test('the table of topics in the README has every event type', () => {
  for (const { topic, type } of Object.values(events)) {
    expect(readme).toMatch(new RegExp(`^\\| \`${defaultTopics[topic]}\` .*\`${type}\``, 'm'))
  }
})
