import { instructions, type StartedDemo, startDemo } from '@herald/local-herald'
import type { StartedServers } from '@herald/test-servers'

const tokenSeconds = 12 * 60 * 60

export type StartOptions = {
  servers: StartedServers
  port: number
  log: (line: string) => void
}

/** Starts Herald with sample data and prints how to use it. */
export async function startWithInstructions({ servers, port, log }: StartOptions): Promise<StartedDemo> {
  const demo = await startDemo({ servers, port, log })
  const { herald, account, demoUrl, notificationId, mail } = demo
  const sign = (sub: string, name: string) =>
    herald.tokens.sign({ sub, name, picture: '', subscriber_id: account.subscriberId }, { expiresIn: tokenSeconds })
  const token = await sign(account.userId, 'Mei Tanaka')
  const otherToken = await sign(account.otherUserId, 'Amara Okafor')
  console.log(instructions({ herald, servers, account, token, otherToken, notificationId, demoUrl, mail }))
  return demo
}
