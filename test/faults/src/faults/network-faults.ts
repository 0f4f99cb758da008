import { lasting, type PartContext, strike } from '../part.ts'
import type { ProxyMode, TcpProxy } from '../stack/tcp-proxy.ts'

type Server = 'MongoDB' | 'Kafka'

const proxiesOf = ({ stack }: PartContext, server: Server): TcpProxy[] =>
  server === 'MongoDB' ? stack.mongo.proxies : [stack.broker.proxy]

async function disturb(context: PartContext, fault: string, server: Server, mode: ProxyMode, seconds: number) {
  const setMode = (next: ProxyMode) => {
    for (const proxy of proxiesOf(context, server)) proxy.setMode(next)
  }
  await strike(
    context,
    `${fault} ${server}, ${seconds} s`,
    () => setMode(mode),
    async () => {
      try {
        await lasting(seconds)
      } finally {
        setMode('pass')
      }
    },
  )
}

/** The network between ingest and a server: by turns silent, as with a cable pulled, and refusing. */
export const cutNetwork = (server: Server) => async (context: PartContext) => {
  const seconds = context.isShort ? 8 : 20
  for (let done = 0; done < context.times; done++) {
    const mode = done % 3 === 1 ? 'reset' : 'silent'
    await disturb(context, `network ${mode} to`, server, mode, seconds)
  }
}

export const delayNetwork = (server: Server) => async (context: PartContext) => {
  const seconds = context.isShort ? 6 : 20
  for (let done = 0; done < context.times; done++) {
    await disturb(context, 'network 500 ms late to', server, { delayMs: 500 }, seconds)
  }
}
