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
  // Less, and a connection made in the silence is answered before the client gives it up.
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

/** Long enough for the first questions of a new connection to time out; after 14 s they are still answered. */
const firstConnectionSeconds = 20

/**
 * The first dead letters of each process meet a network that is silent: the connection made for them is never answered, and
 * seems to be one all the same. MongoDB is held back before, so that good and bad records are in hand at that moment.
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
    log(`network silent to Kafka at the first dead letter: struck ${inFlight} records in flight`)
    await lasting(firstConnectionSeconds)
  } finally {
    for (const member of campaign.fleet.members) member.kill('SIGCONT')
    setMode('MongoDB', 'pass')
    setMode('Kafka', 'pass')
  }
  await campaign.load.caughtUp()
}
