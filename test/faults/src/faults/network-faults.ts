import { lasting, type PartContext, strike } from '../part.ts'
import type { ProxyMode, TcpProxy } from '../stack/tcp-proxy.ts'

type Server = 'MongoDB' | 'Kafka'

const proxiesOf = ({ stack }: PartContext, server: Server): TcpProxy[] =>
  server === 'MongoDB' ? stack.mongo.proxies : [stack.broker.proxy].filter((proxy) => proxy !== undefined)

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

/** Cuts the network between ingest and a server: it drops packets, as with an unplugged cable, or resets connections. */
export const cutNetwork = (server: Server) => async (context: PartContext) => {
  // With less, a connection made meanwhile would get a response before the client times out.
  const seconds = server === 'Kafka' || !context.isShort ? 20 : 10
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

/** Long enough for the first requests of a new connection to time out; after 14 s they still get a response. */
const firstConnectionSeconds = 20

/**
 * Cuts the network before the first dead letters of each process: their connection gets no response but seems to be
 * established. MongoDB is delayed before, so that good and bad records are being handled at that moment.
 */
export async function cutBeforeFirstLetter(context: PartContext): Promise<void> {
  const { campaign, strikes, log } = context
  const setMode = (server: Server, mode: ProxyMode) => {
    for (const proxy of proxiesOf(context, server)) proxy.setMode(mode)
  }
  try {
    for (const member of campaign.fleet.members) member.kill('SIGSTOP')
    setMode('MongoDB', 'silent')
    await campaign.load.produce(4_000)
    for (const member of campaign.fleet.members) member.kill('SIGCONT')
    await lasting(3)
    const inFlight = await campaign.load.inFlight()
    setMode('Kafka', 'silent')
    setMode('MongoDB', 'pass')
    strikes.push({ fault: 'network silent to Kafka at the first dead letter', inFlight })
    log(`network silent to Kafka at the first dead letter: ${inFlight} records in flight`)
    await lasting(firstConnectionSeconds)
  } finally {
    for (const member of campaign.fleet.members) member.kill('SIGCONT')
    setMode('MongoDB', 'pass')
    setMode('Kafka', 'pass')
  }
  await campaign.load.caughtUp()
}
