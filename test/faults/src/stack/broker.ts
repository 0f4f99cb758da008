import { findFreePorts, startKafkaProgram } from '@herald/test-servers'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

export type Broker = {
  /** For the producer and the oracle; several addresses are separated by commas. */
  direct: string
  /** Only for ingest: a listener that advertises the proxy. */
  proxied: string
  /** Only a single broker has one. */
  proxy?: TcpProxy
  kill(signal: NodeJS.Signals): void
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startBroker(log: (line: string) => void): Promise<Broker> {
  const [direct, behind, controller, proxied] = (await findFreePorts(4)) as [number, number, number, number]
  const proxy = await startTcpProxy({ targetPort: behind, port: proxied })
  const address = (port: number) => `127.0.0.1:${port}`
  const kafka = await startKafkaProgram({
    log,
    settings: {
      'controller.quorum.voters': `1@${address(controller)}`,
      listeners: `PLAINTEXT://${address(direct)},PROXIED://${address(behind)},CONTROLLER://${address(controller)}`,
      'advertised.listeners': `PLAINTEXT://${address(direct)},PROXIED://${address(proxied)}`,
      'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT',
      'inter.broker.listener.name': 'PLAINTEXT',
    },
  })
  return {
    direct: address(direct),
    proxied: address(proxied),
    proxy,
    kill: (signal) => void kafka.kill(signal),
    restart: () => kafka.restart(),
    async stop() {
      await kafka.stop()
      await proxy.stop()
    },
  }
}
