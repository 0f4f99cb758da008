import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { oldestNode, unsupportedNode } from './node-version.ts'

test.each(['22.15.0', '22.15.1', '22.20.0', '24.0.0', '26.10.0'])('supports Node.js %s', (version) => {
  expect(unsupportedNode(version)).toBeUndefined()
})

test.each(['22.14.0', '22.9.0', '20.19.5', '18.20.8'])('rejects Node.js %s', (version) => {
  expect(unsupportedNode(version)).toBe(`Herald needs Node.js 22.15 or newer, and this is ${version}`)
})

test.each(['ingest', 'query'])('matches the engines of %s', (service) => {
  const file = new URL(`../../../../services/${service}/package.json`, import.meta.url)
  const { engines } = JSON.parse(readFileSync(file, 'utf8'))
  expect(engines).toEqual({ node: `>=${oldestNode.replace(/\.0$/, '')}` })
})
