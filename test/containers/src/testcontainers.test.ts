import { createTopics, startServers } from '@herald/local-stack'
import { describe, expect, test } from '@jest/globals'
import { docker, whyNoDocker } from './docker.ts'
import { composeImages } from './images.ts'

const why = whyNoDocker()
if (why) console.warn(`Skipped, the servers of npm start were not tried in Docker: ${why}.`)

describe('servers of npm start and npm test', () => {
  const onDocker = why ? test.skip : test

  onDocker('are those of docker-compose.yml where Docker answers, and go when they are stopped', async () => {
    const { KAFKA_BROKERS: _kafka, MONGODB_URI: _mongodb, ...environment } = process.env
    const before = await running()
    const servers = await startServers({ environment })
    try {
      expect(servers.found).toEqual({ kafka: 'docker', mongodb: 'docker' })
      const started = (await running()).filter((line) => !before.includes(line)).map((line) => line.split(' ')[1])
      const images = ['kafka', 'mongodb'].map((service) => composeImages().get(service)?.image)
      expect(started).toEqual(expect.arrayContaining(images))
      // Topics are made and led: a client from outside reaches the broker by the name that it gives itself.
      await createTopics(servers.kafkaBrokers)
    } finally {
      await servers.stop()
    }
    const images = ['kafka', 'mongodb'].map((service) => composeImages().get(service)?.image ?? '')
    const left = (await running()).filter((line) => !before.includes(line) && images.includes(line.split(' ')[1] ?? ''))
    expect(left).toEqual([])
  })
})

const running = async () => (await docker(['ps', '--format', '{{.ID}} {{.Image}}'])).trim().split('\n')
