import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { publint } from 'publint'
import { startTestHerald, type TestHerald } from './herald.ts'
import { outside, type Packed, packPackages, publicPackages, workspaceFolder } from './packed.ts'
import { run, succeed } from './run.ts'

const tsc = join(workspaceFolder, 'node_modules', '.bin', 'tsc')
const source = (name: string) => fileURLToPath(new URL(`outside/${name}`, import.meta.url))

let packed: Packed
let project: string
let herald: TestHerald
let page: Awaited<ReturnType<typeof servePage>>

beforeAll(async () => {
  packed = await packPackages()
  project = await packed.newProject('app')
  await writeFile(join(project, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  const fromRegistry = ['kafkajs@2.2.4', '@types/node@24.19.2']
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packed.archives, ...fromRegistry]
  await succeed('npm', args, { folder: project, environment: outside() })
  for (const name of ['node-app.ts', 'browser-app.ts']) await copyFile(source(name), join(project, name))
  page = await servePage()
  herald = await startTestHerald('installed', { CORS_ORIGINS: page.origin })
}, 240_000)

afterAll(async () => {
  await herald?.stop()
  await page?.stop()
  await packed?.remove()
})

test.each(publicPackages)('publint accepts the packed @herald/%s', async (name) => {
  const { messages } = await publint({
    pkgDir: join(project, 'node_modules', '@herald', name),
    strict: true,
    pack: false,
  })
  expect(messages).toEqual([])
})

test('the client does not depend on zod, nor the publisher on a Kafka client', async () => {
  const dependenciesOf = async (name: string) =>
    JSON.parse(await readFile(join(project, 'node_modules', '@herald', name, 'package.json'), 'utf8')).dependencies
  expect(Object.keys(await dependenciesOf('client'))).toEqual(['eventsource-parser'])
  expect(Object.keys(await dependenciesOf('publisher'))).toEqual(['@herald/contracts'])
  expect(Object.keys(await dependenciesOf('contracts'))).toEqual(['zod'])
})

const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false }
const forms = [
  ['of a program', 'node-app.ts', { module: 'nodenext', target: 'es2022', lib: ['es2023'], types: ['node'] }],
  [
    'of a page, without types of Node.js',
    'browser-app.ts',
    { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom'], types: [] },
  ],
] as const

test.each(forms)('the types resolve in the project %s', async (_, file, options) => {
  const settings = { compilerOptions: { ...strict, ...options, noEmit: true, rootDir: '.' }, files: [file] }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings))
  const { code, stdout } = await run(tsc, ['-p', '.'], { folder: project })
  expect([stdout, code]).toEqual(['', 0])
})

describe('against running services', () => {
  const user = { sub: randomUUID(), subscriber_id: randomUUID() }

  test('the packages work on each local Node.js', async () => {
    const settings = { platform: 'node', packages: 'external', format: 'esm', bundle: true } as const
    const outfile = join(project, 'node-app.js')
    await build({ entryPoints: [join(project, 'node-app.ts')], outfile, ...settings })
    const environment = {
      ...outside(),
      BASE: herald.baseUrl,
      BROKERS: herald.brokers.join(),
      TOPICS: JSON.stringify(herald.topics),
      TOKEN: await herald.tokens.sign(user),
      READER: user.sub,
      SUBSCRIBER: user.subscriber_id,
    }
    const programs = everyNode()
    expect(programs.length).toBeGreaterThan(0)
    for (const node of programs) {
      const output = await succeed(node, [outfile], { folder: project, environment })
      expect(JSON.parse(output)).toMatchObject({ snippet: 'From outside', isRead: true })
    }
  })

  const chromiumFile = findChromium()
  test(`the client works bundled, in ${chromiumFile ? 'Chromium' : 'a context with web APIs only'}`, async () => {
    const { outputFiles } = await build({
      entryPoints: [join(project, 'browser-app.ts')],
      platform: 'browser',
      format: 'iife',
      globalName: 'app',
      target: 'es2022',
      bundle: true,
      minify: true,
      write: false,
    })
    const script = outputFiles?.[0]?.text ?? ''
    const call = `app.readFeed(...${JSON.stringify([herald.baseUrl, await herald.tokens.sign(user)])})`
    const seen = chromiumFile ? await inChromium(chromiumFile, script, call) : await inContext(script, call)
    expect(seen).toMatchObject({ count: everyNode().length, code: 'not_found' })
    expect(seen).toMatchObject({ kinds: expect.arrayContaining(['open', 'heartbeat']) })
  })
})

async function inChromium(executablePath: string, script: string, call: string): Promise<unknown> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const tab = await browser.newPage()
    await tab.goto(page.origin)
    await tab.addScriptTag({ content: script })
    return await tab.evaluate(call)
  } finally {
    await browser.close()
  }
}

/** Runs the script in a context without Node.js APIs. */
async function inContext(script: string, call: string): Promise<unknown> {
  const web = { AbortController, AbortSignal, crypto, DOMException, fetch, TextDecoder, URLSearchParams }
  return runInNewContext(`${script}\n;${call}`, {
    ...web,
    setTimeout,
    clearTimeout,
    Uint8Array,
    Date,
    Error,
    TypeError,
  })
}

/** The programs named `node` on the PATH, each once. */
function everyNode(): string[] {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return [...new Set(files.filter((file) => existsSync(file)).map((file) => realpathSync(file)))]
}

function findChromium(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin']
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return process.env.CHROMIUM_PATH || files.find((file) => existsSync(file))
}

/** An empty page with an origin of its own. */
async function servePage() {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
