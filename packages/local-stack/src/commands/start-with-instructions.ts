import { startDemo } from '../demo/start-demo.ts'
import type { StartedHerald } from '../herald.ts'
import type { Releasers } from '../releasers.ts'
import type { StartedServers } from '../servers.ts'
import { instructions } from './instructions.ts'

const TOKEN_SECONDS = 12 * 60 * 60

export type StartOptions = {
  servers: StartedServers
  port: number
  log: (line: string) => void
  /** Stops the demo. */
  releasers: Pick<Releasers, 'add'>
}

/** Starts Herald with sample data and prints how to use it. */
export async function startWithInstructions(options: StartOptions): Promise<StartedHerald> {
  const { servers, port, log, releasers } = options
  const demo = await startDemo({ servers, port, log })
  releasers.add(demo.stop)
  const { herald, account, demoUrl, notificationId } = demo
  const sign = (sub: string, name: string) =>
    herald.tokens.sign({ sub, name, picture: '', subscriber_id: account.subscriberId }, { expiresIn: TOKEN_SECONDS })
  const token = await sign(account.userId, 'Mei Tanaka')
  const otherToken = await sign(account.otherUserId, 'Amara Okafor')
  console.log(instructions({ herald, servers, account, token, otherToken, notificationId, demoUrl }))
  return herald
}
