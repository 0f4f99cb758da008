import { startHerald } from '../herald.ts'
import { createReleasers } from '../releasers.ts'
import { startServers } from '../servers.ts'
import { publish } from './cloud-events.ts'
import { findPort } from './gateway-port.ts'
import { instructions } from './instructions.ts'
import { untilListed } from './listing.ts'
import { createProgress } from './progress.ts'
import { createSampleAccount, sampleChanges, sampleMentions } from './samples.ts'
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
  const herald = await startHerald({ servers, gateway: { port }, log: progress })
  releasers.add(herald.stop)

  const account = createSampleAccount()
  const now = new Date()
  const { topics, tokens } = herald
  const mentions = sampleMentions(account, topics, now)
  const changes = sampleChanges(account, topics, now)
  await publish(servers.kafkaBrokers, [...mentions, ...changes])
  progress(`${mentions.length} mentions and ${changes.length} changes are published.`)

  const sign = (sub: string, name: string) =>
    tokens.sign({ sub, name, picture: '', subscriber_id: account.subscriberId }, { expiresIn: TOKEN_SECONDS })
  const token = await sign(account.userId, 'Mei Tanaka')
  const otherToken = await sign(account.otherUserId, 'Amara Okafor')
  const listed = { mentions: mentions.length, changes: changes.length }
  const notificationId = await untilListed(herald.baseUrl, token, listed)
  progress('All of them are listed.')

  console.log(instructions({ herald, brokers: servers.kafkaBrokers, account, token, otherToken, notificationId }))
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
