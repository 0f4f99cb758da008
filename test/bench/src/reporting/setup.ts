import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodeArguments } from '@herald/local-herald'
import type { MongoClient } from 'mongodb'
import { largeCacheBytes } from '../cache-size.ts'
import type { MeasuredProcesses } from '../cpu-time.ts'

/** What a run has measured, and with which versions. Runs of different setups are never compared or combined. */
export type Setup = {
  /** Where to find what was measured, not what it is: a rebase gives it another name. */
  readonly commit: string
  /** The contents of the packages and services. */
  readonly product: string
  readonly kafka: string
  readonly mongodb: string
  readonly node: string
  readonly options: Readonly<Record<string, string>>
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const run = promisify(execFile)
const folder = fileURLToPath(new URL('../..', import.meta.url))
const notMeasured = [
  ...['*.test.ts', '*.fixture.ts', '*.md'].map((name) => `**/${name}`),
  // These run in browsers, and no part starts one.
  ...['demo', 'react', 'web-components'].map((name) => `packages/${name}/**`),
]
const product = [
  ...['package-lock.json', 'packages', 'services'].map((path) => `:/${path}`),
  ...notMeasured.map((pattern) => `:(top,exclude,glob)${pattern}`),
]
/** Saving a part writes these, which therefore do not make a working tree dirty. */
const written = ['results', 'README.md', '../../README.md'].map((path) => `:(exclude)${path}`)

export async function currentSetup(client: MongoClient, { broker }: MeasuredProcesses): Promise<Setup> {
  const { version } = await client.db('admin').command({ buildInfo: 1 })
  return {
    commit: await git('rev-parse', '--short', 'HEAD'),
    product: await productVersion(),
    kafka: broker === undefined ? 'unknown' : await brokerVersion(broker),
    mongodb: version,
    node: process.version,
    options: {
      ingest: nodeArguments.ingest.join(' '),
      query: nodeArguments.query.join(' '),
      'MongoDB’s cache': `${largeCacheBytes / 2 ** 30} GiB`,
    },
  }
}

/** Whatever the commit. */
export const isSameSetup = (one: Setup | undefined, other: Setup) =>
  JSON.stringify({ ...one, commit: '' }) === JSON.stringify({ ...other, commit: '' })

/** A hash of the names and contents of the product's files in the last commit. */
async function productVersion(): Promise<string> {
  // `git ls-files` and `git ls-tree` don't exclude by pattern, so this compares with the empty tree.
  return hash(await git('diff-tree', '-r', emptyTree, 'HEAD', '--', ...product))
}

const sources = join(folder, 'src')

/** A hash of the code that measures a part: {@link filesOf} without comments, which may be corrected. */
export async function versionOf(part: string): Promise<string> {
  return hash([...(await filesOf(part)).values()].map(withoutComments).join('\0'))
}

/** The contents of the benchmark's files that a run of the part executes, by path. */
export async function filesOf(part: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  async function add(file: string): Promise<void> {
    if (texts.has(file)) return
    const text = await readFile(file, 'utf8')
    texts.set(file, text)
    // What it imports, other than types, and the programs that it starts.
    const named = text.replaceAll(/^import type [^']*'.*'$/gm, '').matchAll(/'([\w./-]+\.ts)'/g)
    for (const [, path = ''] of named) await add(join(dirname(file), path))
  }
  await add(join(sources, 'run-part.ts'))
  await add(join(sources, `parts/${part}.ts`))
  return new Map([...texts].map(([file, text]) => [relative(sources, file), text] as const).sort())
}

const withoutComments = (text: string) => text.replaceAll(/^ *(?:\/\/|\/?\*).*\n/gm, '')

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** Modified files of the working tree, other than results. */
export async function modifiedFiles(): Promise<string[]> {
  const changes = await git('status', '--porcelain', '--', ':/', ...written)
  return changes.split('\n').filter((line) => line !== '')
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: folder, maxBuffer: 2 ** 24 })
  return stdout.trimEnd()
}

/** The version in the path of the broker's jars. */
async function brokerVersion(pid: number): Promise<string> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return /\/kafka-(\d+\.\d+\.\d+)/.exec(command)?.[1] ?? 'unknown'
}
