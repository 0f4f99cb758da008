import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTokenIssuer, type Exit, type HeraldTopics, type StartedService, startService } from '@herald/local-stack'
import type { Mutant } from '../mutants/mutants.ts'
import type { Stack } from '../stack/stack.ts'
import { until } from '../until.ts'

const run = promisify(execFile)

/** The ingest processes of a campaign. */
export interface IngestFleet {
  members: StartedService[]
  /** One more member, of this build or of another one's entry point. */
  grow(file?: string): Promise<StartedService>
  /** SIGTERM for good: resolves when it has ended. */
  retire(member: StartedService): Promise<Exit>
  /** Ends all by SIGTERM, keeping them to be started again. */
  end(): Promise<void>
  startAgain(): Promise<void>
  stop(): Promise<void>
}

export interface FleetOptions {
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
  const settings = await settingsOf(options)
  // Safe to run again, as after an election in the midst of it.
  await until('the migration', () => run(process.execPath, [migrateFile], { env: settings }).then(() => true))
  const members: StartedService[] = []

  const grow = async (file?: string): Promise<StartedService> => {
    const member = await startService('ingest', settings, file === undefined ? {} : { file })
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
  return {
    members,
    grow,
    async retire(member) {
      members.splice(members.indexOf(member), 1)
      member.kill('SIGTERM')
      const exit = await member.exited
      await member.stop()
      return exit
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

async function settingsOf({ stack, topics, groupId, database, mutant }: FleetOptions): Promise<NodeJS.ProcessEnv> {
  const tokens = await createTokenIssuer()
  return {
    ...process.env,
    MONGODB_URI: stack.mongo.uri,
    MONGODB_DATABASE: database,
    KAFKA_BROKERS: stack.broker.proxied,
    KAFKA_GROUP_ID: groupId,
    KAFKA_MENTION_TOPIC: topics.mention,
    KAFKA_CHANGE_TOPIC: topics.change,
    KAFKA_RECEIPT_TOPIC: topics.receipt,
    KAFKA_DEAD_LETTER_TOPIC: topics.deadLetter,
    AUTH_JWKS_URI: undefined,
    AUTH_PUBLIC_KEY: tokens.publicKeyPem,
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    LOG_LEVEL: 'info',
    ...(mutant ? { HERALD_MUTANT: mutant.name, NODE_OPTIONS: `--no-warnings --import ${mutantHook}` } : {}),
  }
}
