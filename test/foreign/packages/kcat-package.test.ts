import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findKcat } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { run } from './run.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-kcat-'))
})
afterAll(() => rm(folder, { recursive: true }))

const needed = ['apt-get', 'dpkg', 'dpkg-deb', 'tar', 'sh', 'rm']
const known = spawnSync('apt-cache', ['policy', 'kcat'], { encoding: 'utf8' }).stdout ?? ''
const whereAptKnowsIt = /Candidate: \d/.test(known) ? test : test.skip

whereAptKnowsIt('without kcat on a Debian machine, unpacks it into the cache and runs it from there', async () => {
  // A PATH with only the programs needed for unpacking.
  const programs = join(folder, 'programs')
  await mkdir(programs)
  const which = `for name in ${needed.join(' ')}; do command -v "$name"; done`
  const files = spawnSync('sh', ['-c', which], { encoding: 'utf8' }).stdout.trim().split('\n')
  for (const file of files) await symlink(file, join(programs, file.split('/').at(-1) ?? ''))

  const environment = {
    PATH: [programs].join(delimiter),
    HERALD_CACHE: join(folder, 'cache'),
    HERALD_MUST_HAVE: 'kcat',
  }
  const kcat = await findKcat({ environment })
  expect(kcat?.command).toContain(join(folder, 'cache'))
  const { code, stderr } = await run(kcat?.command ?? '', ['-V'], { folder, environment: kcat?.environment ?? {} })
  expect([stderr, code]).toEqual(['', 0])
})
