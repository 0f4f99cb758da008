import { type StartedService, startService } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, test } from '@jest/globals'
import { createTestQuery } from '../query.fixture.ts'
import { expectEachOnce, follow, storeSome } from './follower.fixture.ts'

const query = await createTestQuery('sequencing')
const settings = { PATH: process.env.PATH, MONGODB_URI: process.env.MONGODB_URI, MONGODB_DATABASE: query.database }
const processes: StartedService[] = []
const start = async () => {
  const started = await startService('seal', settings)
  processes.push(started)
  return started
}

beforeAll(() => query.store.migrate())
afterAll(async () => {
  for (const started of processes) {
    started.kill('SIGCONT')
    await started.stop()
  }
  await query.stop()
})

const works = (service: StartedService) => service.logs().some((line) => line.includes('Following what is stored'))
test('assigns each entry one place, whichever process is frozen longer than its lease, killed, or stopped', async () => {
  const user = await query.newUser({ scope: 'change-entries:read' })
  const follower = follow(user)
  const first = await start()
  await eventually(() => works(first))
  const second = await start()
  const writer = storeSome(query.store, user)
  const progress = async () => {
    const reached = follower.seen.length
    await eventually(async () => {
      await follower.readOn()
      return follower.seen.length > reached + 100
    })
  }
  await progress()
  first.kill('SIGSTOP')
  await eventually(() => works(second))
  await progress()
  first.kill('SIGCONT')
  await progress()
  second.kill('SIGKILL')
  await progress()
  await second.restart()
  await first.restart()
  await progress()
  await expectEachOnce(follower, await writer.stop())
}, 240_000)
