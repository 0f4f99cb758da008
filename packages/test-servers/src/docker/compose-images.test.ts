import { expect, test } from '@jest/globals'
import { composeImage, versionOf } from './compose-images.ts'

test('reads the images of the servers with their versions from docker-compose.yml', () => {
  expect(composeImage('kafka')).toMatch(/^apache\/kafka:\d+\.\d+\.\d+(@sha256:\w+)?$/)
  expect(composeImage('mongodb')).toMatch(/^mongo:\d+\.\d+(@sha256:\w+)?$/)
})

test('reads the version from the tag and ignores the digest', () => {
  expect(versionOf('mirror.example:5000/apache/kafka:4.1.0')).toBe('4.1.0')
  expect(versionOf(`apache/kafka:4.1.0@sha256:${'0'.repeat(64)}`)).toBe('4.1.0')
  expect(() => versionOf('apache/kafka')).toThrow('apache/kafka has no version.')
})
