import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { oldestNode, whyNodeIsTooOld } from './node-version.ts'

test.each(['22.15.0', '22.15.1', '22.20.0', '24.0.0', '26.10.0'])('Node.js %s runs the services', (version) => {
  expect(whyNodeIsTooOld(version)).toBeUndefined()
})

test.each(['22.14.0', '22.9.0', '20.19.5', '18.20.8'])('Node.js %s is refused in one line', (version) => {
  expect(whyNodeIsTooOld(version)).toBe(`Herald needs Node.js 22.15 or newer, and this is ${version}`)
})

test.each(['ingest', 'query'])('the engines of %s name the same version', (service) => {
  const file = new URL(`../../../../services/${service}/package.json`, import.meta.url)
  const { engines } = JSON.parse(readFileSync(file, 'utf8'))
  expect(engines).toEqual({ node: `>=${oldestNode.replace(/\.0$/, '')}` })
})
