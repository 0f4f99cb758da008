import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { fetchPythonPackages } from './python-packages.ts'

let folder: string
let requirements: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-python-'))
  requirements = join(folder, 'requirements.txt')
  await writeFile(requirements, 'thing==1\n')
  await mkdir(join(folder, 'bin'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Installs a fake `python3` 3.99; its pip runs the given shell command and by default records the call. */
async function installPython(pip = 'echo asked >> "$HERALD_CACHE/all"') {
  const file = join(folder, 'bin', 'python3')
  await writeFile(file, `#!/bin/sh\nif [ "$1" = -c ]; then echo 3.99; exit; fi\n${pip}\n`)
  await chmod(file, 0o755)
}

const fetchThings = () =>
  fetchPythonPackages('things', requirements, {
    environment: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HERALD_CACHE: join(folder, 'cache') },
  })

test('fetches the packages once per requirements file', async () => {
  await installPython()
  const first = await fetchThings()
  expect(first.folder).toMatch(/cache\/things-python-3\.99-[0-9a-f]{12}$/)
  expect(await fetchThings()).toEqual(first)
  await writeFile(requirements, 'thing==2\n')
  expect((await fetchThings()).folder).not.toBe(first.folder)
  expect(await readFile(join(folder, 'cache', 'all'), 'utf8')).toBe('asked\nasked\n')
})

test('throws the error of pip and fetches again in the next run', async () => {
  await installPython('echo no such thing >&2; exit 1')
  await expect(fetchThings()).rejects.toThrow('no such thing')
  await installPython()
  await fetchThings()
})

test('throws without Python', async () => {
  const environment = { PATH: join(folder, 'bin'), HERALD_CACHE: join(folder, 'cache') }
  await expect(fetchPythonPackages('things', requirements, { environment })).rejects.toThrow('python3')
})
