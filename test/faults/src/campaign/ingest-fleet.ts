import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type StartedService, startService, tokenSettings, topicSettings } from '@herald/local-herald'
import type { Exit, HeraldTopics } from '@herald/test-servers'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import { type Limits, limitSettings, limits as limitsChange } from '../mutants/limits.ts'
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
  /** Adds settings for the members that start from now on; `undefined` removes one. */
  use(more: Readonly<Record<string, string | undefined>>): void
  /** Loads a module into the members that start from now on, before their own. */
  preload(module: string): void
  /** Changes limits of the members that start from now on. */
  limit(limits: Limits): void
  /** Replaces all members by as many with more settings. */
  restartWith(more?: Readonly<Record<string, string>>): Promise<void>
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
const changesHook = new URL('../mutants/register.ts', import.meta.url).href

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
  const use: IngestFleet['use'] = (more) => {
    current = { ...current, ...more }
  }
  const preload: IngestFleet['preload'] = (module) => use(withModule(current, module))
  return {
    members,
    settings,
    tokens,
    grow,
    retire,
    use,
    preload,
    limit(limits) {
      preload(changesHook)
      const changes = new Set((current.HERALD_CHANGES ?? '').split(',').filter(Boolean))
      use({ HERALD_CHANGES: [...changes.add(limitsChange.name)].join(), ...limitSettings(limits) })
    },
    async restartWith(more = {}) {
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
  const settings = {
    ...process.env,
    MONGODB_URI: stack.mongo.uri,
    MONGODB_DATABASE: database,
    KAFKA_BROKERS: stack.broker.proxied,
    KAFKA_GROUP_ID: groupId,
    ...topicSettings(topics),
    ...tokenSettings(tokens),
    LOG_LEVEL: 'info',
  }
  return mutant ? { ...withModule(settings, changesHook), HERALD_CHANGES: mutant.name } : settings
}

/** The settings of a process that loads one more module before its own. */
export function withModule(settings: NodeJS.ProcessEnv, module: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options = '--no-warnings' } = settings
  return options.includes(module) ? settings : { ...settings, NODE_OPTIONS: `${options} --import ${module}` }
}
