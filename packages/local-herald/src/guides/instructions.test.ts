import { readFileSync } from 'node:fs'
import { topicsWithSuffix } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { createSampleAccount } from '../samples/samples.ts'
import { instructions } from './instructions.ts'

const printed = instructions({
  herald: {
    baseUrl: 'http://127.0.0.1:8080',
    topics: topicsWithSuffix('x'),
    tokens: { issuer: 'https://issuer.example/', audience: 'herald', publicKeyPem: 'key' },
  } as Parameters<typeof instructions>[0]['herald'],
  servers: { kafkaBrokers: ['localhost:9092'], mongodbUri: 'mongodb://localhost/' },
  account: createSampleAccount(),
  token: 'token',
  otherToken: 'other',
  notificationId: '0190a6e0-7c1b-7def-8abc-000000000001',
  demoUrl: 'http://127.0.0.1:8080/demo/',
  mail: { smtpAddress: '127.0.0.1:1025', problem: () => undefined },
})

/** Method and path of each command that is alone below its comment. */
function requestsIn(text: string): string[] {
  return Array.from(text.matchAll(/^# .*\n(curl (?:.+\n?)+)/gm), ([, command = '']) => {
    const method = /-X (\w+)/.exec(command)?.[1] ?? (command.includes(" -d '") ? 'POST' : 'GET')
    const [, path = ''] = /\$BASE([^"?]*)/.exec(command) ?? []
    return `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\$ID/, '{id}')}`
  })
}

test('the README shows the four operations that npm start prints', () => {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
  const operations = ['POST /', 'GET /', 'PATCH /notifications/{id}/unread', 'GET /change-entries/all']
  expect([requestsIn(readme), requestsIn(printed)]).toEqual([operations, operations])
})
