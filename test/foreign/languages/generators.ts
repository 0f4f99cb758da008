import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fetchPythonPackages, findCommand, findJava, findMavenJars, whyNoPip } from '@herald/test-servers'
import { build } from 'esbuild'
import { go, goEnvironment, installedGo } from './go.ts'
import { findOptions, orFail, ownFile, type Runnable, run } from './toolchain.ts'

/** A generator of clients, and a program that uses its client. */
export type Generator = {
  readonly name: string
  /** Returns why its tests cannot run here, or undefined. */
  whyNot(): Promise<string | undefined>
  /** Generates a client from an OpenAPI document and builds the program with it. */
  build(document: string, folder: string): Promise<Runnable>
}

const version = '7.25.0'
const openApiGenerator = `org.openapitools:openapi-generator-cli:${version}`

/** Runs openapi-generator, which is a Java program. */
export async function runOpenApiGenerator(folder: string, args: readonly string[]): Promise<void> {
  const java = await findJava(findOptions)
  const jars = { name: `openapi-generator-${version}`, artifacts: [openApiGenerator] }
  const classes = join(await findMavenJars(java, jars, findOptions), 'jars', '*')
  await run(java, ['-cp', classes, 'org.openapitools.codegen.OpenAPIGenerator', 'generate', ...args], folder)
}

const whyNoMaven = async () =>
  orFail('maven', findCommand('mvn', process.env) === undefined ? 'mvn is not on the PATH' : undefined)

const python: Generator = {
  name: `openapi-generator ${version}, python`,
  whyNot: async () => orFail('python3', whyNoPip(process.env)) ?? (await whyNoMaven()),
  async build(document, folder) {
    await runOpenApiGenerator(folder, ['-g', 'python', '-i', document, '-o', join(folder, 'generated')])
    const requirements = ownFile('requirements.txt')
    const packages = await fetchPythonPackages('openapi-python-client', requirements, findOptions)
    return {
      command: packages.python,
      args: [ownFile('clients/openapi-generator-python/client.py')],
      environment: {
        PYTHONPATH: `${join(folder, 'generated')}:${packages.folder}`,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    }
  },
}

/** A generator whose TypeScript client is compiled, strictly, and bundled with a program of `clients/typescript`. */
function inTypeScript(
  name: string,
  program: string,
  packages: readonly string[],
  generate: (document: string, folder: string) => Promise<unknown>,
  whyNot: Generator['whyNot'] = async () => undefined,
): Generator {
  return {
    name,
    whyNot,
    async build(document, folder) {
      await writeFile(join(folder, 'package.json'), '{"type":"module"}')
      await mkdir(join(folder, 'generated'))
      const install = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
      await run('npm', [...install, ...packages, '@types/node@24.19.2', 'typescript@5.9.3'], folder)
      await generate(document, folder)
      await copyFile(ownFile('clients/typescript', program), join(folder, program))
      const compilerOptions = {
        ...{ target: 'es2024', module: 'preserve', moduleResolution: 'bundler', types: ['node'] },
        ...{ strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, noEmit: true },
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [program] }))
      await run(join(folder, 'node_modules/.bin/tsc'), ['-p', '.'], folder)
      const outfile = join(folder, 'program.mjs')
      await build({ entryPoints: [join(folder, program)], outfile, bundle: true, format: 'esm', platform: 'node' })
      return { command: process.execPath, args: [outfile], environment: {} }
    },
  }
}

const typescriptFetch = inTypeScript(
  `openapi-generator ${version}, typescript-fetch`,
  'typescript-fetch.ts',
  [],
  (document, folder) =>
    runOpenApiGenerator(folder, ['-g', 'typescript-fetch', '-i', document, '-o', 'generated/typescript-fetch']),
  whyNoMaven,
)

const heyApi = inTypeScript('hey-api 0.99.0', 'hey-api.ts', ['@hey-api/openapi-ts@0.99.0'], (document, folder) =>
  run(
    'node_modules/.bin/openapi-ts',
    ['-i', document, '-o', 'generated/hey-api', '-c', '@hey-api/client-fetch'],
    folder,
  ),
)

const openApiFetch = inTypeScript(
  'openapi-fetch 0.17.0',
  'openapi-fetch.ts',
  ['openapi-fetch@0.17.0', 'openapi-typescript@7.13.0'],
  (document, folder) =>
    run('node_modules/.bin/openapi-typescript', [document, '-o', 'generated/openapi-typescript.d.ts'], folder),
)

const ogenModule = ownFile('clients/ogen/go.mod')
const ogen: Generator = {
  name: 'ogen 1.25.0',
  async whyNot() {
    const [, major, minor] = /^go (\d+)\.(\d+)/m.exec(await readFile(ogenModule, 'utf8')) ?? []
    const isThere = (await installedGo([Number(major), Number(minor)])) !== undefined
    return isThere ? undefined : ((await go.whyNot()) ?? orFail('golang', `Go ${major}.${minor} is not on the PATH`))
  },
  async build(document, folder) {
    await cp(ownFile('clients/ogen'), folder, { recursive: true })
    const target = ['--config', 'ogen.yml', '--target', 'herald', '--package', 'herald', document]
    await run('go', ['run', 'github.com/ogen-go/ogen/cmd/ogen@v1.25.0', ...target], folder, goEnvironment)
    await run('go', ['build', '-mod=readonly', '-o', 'program', '.'], folder, goEnvironment)
    return { command: join(folder, 'program'), args: [], environment: {} }
  },
}

export const generators: readonly Generator[] = [python, typescriptFetch, heyApi, openApiFetch, ogen]
