import { createTopics, startServers } from '@herald/test-servers'
import { describe, expect, test } from '@jest/globals'
import { composeServices } from './compose-file.ts'
import { docker, whyNoDocker } from './docker.ts'

const why = whyNoDocker()
if (why) console.warn(`Skipped the servers of npm start in Docker: ${why}.`)

describe('servers of npm start and npm test', () => {
  const onDocker = why ? test.skip : test

  onDocker('run the images of docker-compose.yml if Docker is available, and are removed when stopped', async () => {
    const { KAFKA_BROKERS: _kafka, MONGODB_URI: _mongodb, ...environment } = process.env
    const before = await running()
    const servers = await startServers({ environment })
    try {
      expect(servers.found).toEqual({ kafka: 'docker', mongodb: 'docker' })
      const started = (await running()).filter((line) => !before.includes(line)).map((line) => line.split(' ')[1])
      const images = ['kafka', 'mongodb'].map((service) => composeServices().get(service)?.image)
      expect(started).toEqual(expect.arrayContaining(images))
      // Creating topics shows that a client on the host can reach the broker under its advertised name.
      await createTopics(servers.kafkaBrokers)
    } finally {
      await servers.stop()
    }
    const images = ['kafka', 'mongodb'].map((service) => composeServices().get(service)?.image ?? '')
    const left = (await running()).filter((line) => !before.includes(line) && images.includes(line.split(' ')[1] ?? ''))
    expect(left).toEqual([])
  })
})

const running = async () => (await docker(['ps', '--format', '{{.ID}} {{.Image}}'])).trim().split('\n')
