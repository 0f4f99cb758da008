import { expect, test } from '@jest/globals'
import { composeImage, versionOf } from './compose-images.ts'

test('images of the servers come from docker-compose.yml, with a version', () => {
  expect(composeImage('kafka')).toMatch(/^apache\/kafka:\d+\.\d+\.\d+(@sha256:\w+)?$/)
  expect(composeImage('mongodb')).toMatch(/^mongo:\d+\.\d+(@sha256:\w+)?$/)
})

test('the version is the tag, whatever the digest', () => {
  expect(versionOf('mirror.example:5000/apache/kafka:4.1.0')).toBe('4.1.0')
  expect(versionOf(`apache/kafka:4.1.0@sha256:${'0'.repeat(64)}`)).toBe('4.1.0')
  expect(() => versionOf('apache/kafka')).toThrow('apache/kafka has no version.')
})
