import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type StartedService, startService, tokenSettings, topicSettings } from '@herald/local-herald'
import type { Exit, HeraldTopics } from '@herald/test-servers'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import type { Mutant } from '../mutants/mutants.ts'
import type { Stack } from '../stack/stack.ts'
import { until } from '../until.ts'

const run = promisify(execFile)

/** The ingest processes of a campaign. */
export type IngestFleet = {
  members: StartedService[]
  /** The settings of all members, which a query service of the campaign needs as well. */
  settings: NodeJS.ProcessEnv
  tokens: TokenIssuer
  /** Starts one more member, of this build or of the entry point of another one. */
  grow(file?: string): Promise<StartedService>
  /** Ends a member by SIGTERM and removes it; resolves when it has exited. */
  retire(member: StartedService): Promise<Exit>
  /** Ends all members by SIGTERM; `startAgain` restarts them. */
  end(): Promise<void>
  startAgain(): Promise<void>
  /** Adds settings for the members that start from now on. */
  use(more: Readonly<Record<string, string>>): void
  /** Replaces all members by as many with more settings. */
  restartWith(more: Readonly<Record<string, string>>): Promise<void>
  stop(): Promise<void>
}

export type FleetOptions = {
  stack: Stack
  topics: HeraldTopics
  groupId: string
  database: string
  size: number
  mutant: Mutant | undefined
}

const migrateFile = fileURLToPath(new URL('../../../../services/ingest/dist/migrate.js', import.meta.url))
const mutantHook = new URL('../mutants/register.ts', import.meta.url).href

export async function startIngestFleet(options: FleetOptions): Promise<IngestFleet> {
  const tokens = await createTokenIssuer()
  const settings = settingsOf(options, tokens)
  // Safe to repeat, for example after an election in between.
  await until('the migration to succeed', () =>
    run(process.execPath, [migrateFile], { env: settings }).then(() => true),
  )
  const members: StartedService[] = []
  let current = settings

  const grow = async (file?: string): Promise<StartedService> => {
    const member = await startService('ingest', current, file === undefined ? {} : { file })
    members.push(member)
    return member
  }
  const stop = async (): Promise<void> => {
    for (const member of members) {
      member.kill('SIGCONT')
      member.kill('SIGKILL')
    }
    await Promise.all(members.map((member) => member.stop()))
  }
  const starts = await Promise.allSettled(Array.from({ length: options.size }, () => grow()))
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  const retire = async (member: StartedService): Promise<Exit> => {
    members.splice(members.indexOf(member), 1)
    member.kill('SIGTERM')
    const exit = await member.exited
    await member.stop()
    return exit
  }
  const use = (more: Readonly<Record<string, string>>): void => {
    current = { ...current, ...more }
  }
  return {
    members,
    settings,
    tokens,
    grow,
    retire,
    use,
    async restartWith(more) {
      use(more)
      await Promise.all([...members].map(retire))
      await Promise.all(Array.from({ length: options.size }, () => grow()))
    },
    stop,
    async end() {
      for (const member of members) member.kill('SIGTERM')
      await Promise.all(members.map((member) => member.exited))
    },
    async startAgain() {
      await Promise.all(members.map((member) => member.restart()))
    },
  }
}

function settingsOf(
  { stack, topics, groupId, database, mutant }: FleetOptions,
  tokens: TokenIssuer,
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    MONGODB_URI: stack.mongo.uri,
    MONGODB_DATABASE: database,
    KAFKA_BROKERS: stack.broker.proxied,
    KAFKA_GROUP_ID: groupId,
    ...topicSettings(topics),
    ...tokenSettings(tokens),
    LOG_LEVEL: 'info',
    ...(mutant ? { HERALD_MUTANT: mutant.name, NODE_OPTIONS: `--no-warnings --import ${mutantHook}` } : {}),
  }
}
