import { expect, test } from '@jest/globals'
import { composeImage, versionOf } from './compose-images.ts'

test('images of the servers come from docker-compose.yml, with a version', () => {
  expect(composeImage('kafka')).toMatch(/^apache\/kafka:\d+\.\d+\.\d+$/)
  expect(composeImage('mongodb')).toMatch(/^mongo:\d+\.\d+$/)
})

test('the version is what stands behind the last colon', () => {
  expect(versionOf('mirror.example:5000/apache/kafka:4.1.0')).toBe('4.1.0')
  expect(() => versionOf('apache/kafka')).toThrow('apache/kafka has no version.')
})
