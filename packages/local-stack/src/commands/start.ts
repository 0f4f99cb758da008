import { startDemo } from '../demo/start-demo.ts'
import { createReleasers } from '../releasers.ts'
import { startServers } from '../servers.ts'
import { findPort } from './gateway-port.ts'
import { instructions } from './instructions.ts'
import { createProgress } from './progress.ts'
import { untilToldToStop } from './until-told-to-stop.ts'
import { runInWorkspace } from './workspace.ts'

const TOKEN_SECONDS = 12 * 60 * 60

const progress = createProgress()
const releasers = createReleasers()

async function start() {
  progress('Building.')
  const build = await runInWorkspace('turbo', ['run', 'build', '--output-logs=errors-only'])
  if (!build.ok) throw new Error(`The build failed:\n${build.output}`)

  progress('Finding Kafka and MongoDB.')
  const servers = await startServers({ log: progress })
  releasers.add(servers.stop)
  progress(`Kafka (${servers.found.kafka}) and MongoDB (${servers.found.mongodb}) answer.`)

  const port = await findPort(Number(process.env.PORT || 8080))
  const demo = await startDemo({ servers, port, log: progress })
  releasers.add(demo.stop)
  const { herald, account, demoUrl, notificationId } = demo
  const sign = (sub: string, name: string) =>
    herald.tokens.sign({ sub, name, picture: '', subscriber_id: account.subscriberId }, { expiresIn: TOKEN_SECONDS })
  const token = await sign(account.userId, 'Mei Tanaka')
  const otherToken = await sign(account.otherUserId, 'Amara Okafor')
  const running = { herald, servers, account, token, otherToken, notificationId, demoUrl }
  console.log(instructions(running))
  return herald
}

const told = untilToldToStop()
const started = start()
try {
  const herald = await Promise.race([started, told])
  if (herald) {
    const fell = [herald.ingest, herald.query].map(async (service) => {
      const { code, signal } = await service.exited
      return `A service ended by itself (${signal ?? `exit code ${code}`}):\n${service.logs().slice(-20).join('\n')}`
    })
    const reason = await Promise.race([told, ...fell])
    if (reason) {
      console.error(reason)
      process.exitCode = 1
    }
  }
  progress('Stopping.')
  await releasers.releaseAll()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
  await releasers.releaseAll()
}
// What was still on its way when an end was wanted dies with this process.
process.exit()
