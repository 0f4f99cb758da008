import { findFreePorts } from '../processes/free-port.ts'
import { type KafkaProgramOptions, type StartedKafkaProgram, startKafkaProgram } from './kafka-program.ts'

/** A cluster of several brokers on this machine, each of which is a controller as well. */
export type StartedKafkaCluster = {
  /** The addresses of all. */
  brokers: string[]
  members: readonly StartedKafkaProgram[]
  stop(): Promise<void>
}

/** Starts brokers with the node ids 1 to `size`. */
export async function startKafkaCluster(
  size: number,
  { settings, ...options }: KafkaProgramOptions = {},
): Promise<StartedKafkaCluster> {
  const ports = await findFreePorts(2 * size)
  const nodes = Array.from({ length: size }, (_, n) => ({ id: n + 1, port: ports[n], controllerPort: ports[size + n] }))
  const voters = nodes.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(',')
  const members = await Promise.all(
    nodes.map(({ id, port, controllerPort }) =>
      startKafkaProgram({
        ...options,
        settings: {
          'node.id': String(id),
          'controller.quorum.voters': voters,
          listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
          'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
          ...settings,
        },
      }),
    ),
  )
  return {
    brokers: nodes.map(({ port }) => `127.0.0.1:${port}`),
    members,
    stop: async () => void (await Promise.all(members.map((member) => member.stop()))),
  }
}
