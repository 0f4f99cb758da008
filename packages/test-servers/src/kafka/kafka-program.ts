import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findJava } from '../downloads/java.ts'
import { type FindOptions, withDefaults } from '../find-options.ts'
import { runCommand } from '../processes/commands-on-path.ts'
import { findFreePorts } from '../processes/free-port.ts'
import { type StartedProgram, startProgram } from '../processes/program.ts'
import { findKafkaJars } from './kafka-jars.ts'
import { brokerSettings } from './kafka-settings.ts'

const CLUSTER_ID = 'AAAAAAAAQACAAAAAAAAAAQ'

export type KafkaProgramOptions = Partial<FindOptions> & {
  /** Broker settings in addition to, or instead of, the defaults. */
  settings?: Readonly<Record<string, string>>
}

export type StartedKafkaProgram = StartedProgram & {
  brokers: string[]
}

/** Runs a Kafka cluster of one broker on this machine, on free ports. The broker is fetched if it is missing. */
export async function startKafkaProgram(options: KafkaProgramOptions = {}): Promise<StartedKafkaProgram> {
  const found = withDefaults(options)
  const { environment } = found
  const java = await findJava(found)
  const { classPath, loggingFile } = await findKafkaJars(java, found)
  const [port, controllerPort] = (await findFreePorts(2)) as [number, number]
  const folder = await mkdtemp(join(tmpdir(), 'herald-kafka-'))
  const settingsFile = join(folder, 'server.properties')
  const settings = {
    ...brokerSettings,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'log.dirs': join(folder, 'data'),
    ...options.settings,
  }
  const jvm = ['-Xms256m', '-Xmx512m', `-Dlog4j2.configurationFile=${loggingFile}`, '-cp', classPath]
  const format = ['kafka.tools.StorageTool', 'format', '--cluster-id', CLUSTER_ID, '--config', settingsFile]
  const program = await startProgram({
    name: 'Kafka',
    command: java,
    args: [...jvm, 'kafka.Kafka', settingsFile],
    environment,
    folder,
    async prepare() {
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
      await writeFile(settingsFile, lines.join(''))
      // Short-lived: it is faster when the JVM compiles less.
      await runCommand(java, ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', ...jvm, ...format], { environment })
    },
    ready: { line: /Kafka Server started/ },
  })
  return Object.assign(program, { brokers: [`127.0.0.1:${port}`] })
}
