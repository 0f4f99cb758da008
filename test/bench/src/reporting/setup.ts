import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodeArguments } from '@herald/local-herald'
import type { MongoClient } from 'mongodb'
import { largeCacheBytes } from '../cache-size.ts'
import type { MeasuredProcesses } from '../cpu-time.ts'

/** The measured commit, and the versions of the servers. Runs of different setups are never compared or combined. */
export type Setup = {
  readonly commit: string
  readonly kafka: string
  readonly mongodb: string
  readonly node: string
  readonly options: Readonly<Record<string, string>>
}

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../..', import.meta.url))
/** Saving a part writes these, which therefore do not make a working tree dirty. */
const written = ['results', 'README.md'].map((path) => `:(exclude)${path}`)

export async function currentSetup(client: MongoClient, { broker }: MeasuredProcesses): Promise<Setup> {
  const { version } = await client.db('admin').command({ buildInfo: 1 })
  return {
    commit: await git('rev-parse', '--short', 'HEAD'),
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

export const isSameSetup = (one: Setup | undefined, other: Setup) => JSON.stringify(one) === JSON.stringify(other)

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
