import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { root } from './overlays.ts'

const digest = `sha256:${'0'.repeat(64)}`
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herald-pin-'))
  for (const path of ['deploy', 'docker-compose.yml']) cpSync(`${root}${path}`, join(folder, path), { recursive: true })
  // A fake docker command that reports the same digest for every image.
  writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho "$@" >>${folder}/asked\necho '{"digest":"${digest}"}'\n`)
  chmodSync(join(folder, 'docker'), 0o755)
})
afterEach(() => rmSync(folder, { recursive: true }))

const pin = (...args: string[]) =>
  spawnSync(process.execPath, [join(folder, 'deploy/pin-images.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  })

test('pins third-party images to the digest from their registry, after which the check passes', () => {
  const before = pin('--check')
  expect(before.status).toBe(1)
  expect(before.stdout).toContain('deploy/Dockerfile: node:24-bookworm-slim')
  expect(before.stdout).not.toContain('herald/')

  expect(pin().status).toBe(0)
  expect(readFileSync(join(folder, 'docker-compose.yml'), 'utf8')).toContain(`image: apache/kafka:4.4.0@${digest}\n`)
  expect(readFileSync(join(folder, 'deploy/Dockerfile'), 'utf8')).toContain(
    `FROM node:24-bookworm-slim@${digest} AS node\n`,
  )
  expect(pin('--check')).toMatchObject({ status: 0, stdout: '' })
  const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
  expect(new Set(asked).size).toBe(asked.length)
})

test('checks every image in the manifests and docker-compose.yml', () => {
  const listed = pin('--check').stdout
  const found = execFileSync('grep', [
    '-rhoE',
    'image: [a-z][^ ]*:[^ ]+',
    `${root}deploy/kustomize`,
    `${root}docker-compose.yml`,
  ])
  const others = String(found)
    .split('\n')
    .map((line) => line.replace('image: ', ''))
    .filter((name) => name && !/^herald[./]/.test(name))
  expect(others.length).toBeGreaterThan(4)
  expect(others.filter((name) => !listed.includes(name.replace(/@.*/, '')))).toEqual([])
})

test('pins every image that a build or a manifest in deploy refers to', () => {
  expect(pin().status).toBe(0)
  const found = execFileSync('grep', [
    '-rhoE',
    '^( *image: |FROM |# syntax=)[a-z][^ ]*[:/][^ ]+',
    ...['deploy/Dockerfile', 'deploy/kustomize', 'deploy/compose', 'docker-compose.yml'].map((path) =>
      join(folder, path),
    ),
  ])
  const others = String(found)
    .trim()
    .split('\n')
    .filter((line) => !/ herald[./]/.test(line))
  expect(others.length).toBeGreaterThan(6)
  expect(others.filter((line) => !line.endsWith(`@${digest}`))).toEqual([])
})
