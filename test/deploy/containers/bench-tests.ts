import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Composition } from './composition.ts'
import { docker, dockerToEnd, inspect } from './docker.ts'

/** Tests of the image of `npm run bench -- --target`. */
export function describeBench(composition: () => Composition) {
  describe('the image of the bench', () => {
    let image: string
    let folder: string

    beforeAll(async () => {
      image = `herald/bench:${composition().project}`
      folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
      // The user of the image reads the settings.
      await chmod(folder, 0o755)
      await docker(['build', '--quiet', '--file', 'deploy/Dockerfile', '--target', 'bench', '--tag', image, '.'])
    })
    afterAll(async () => {
      await rm(folder, { recursive: true })
      await docker(['image', 'rm', image])
    })

    /** The services are at the ports of this machine, so that their issuer's check of the host name passes. */
    const bench = async (load: object) => {
      const { brokers, baseUrl, tokenIssuer, mongodbUri } = composition()
      const target = {
        kafka: { brokers },
        queryUrl: baseUrl,
        tokenIssuerUrl: tokenIssuer,
        mongodb: { uri: mongodbUri },
        load,
      }
      await writeFile(join(folder, 'target.json'), JSON.stringify(target))
      return composition().run(image, ['--network', 'host', '--volume', `${folder}:/settings:ro`])
    }

    test('loads the services, prints JSON, and finds every mention once', async () => {
      const ended = await bench({ seconds: 5, users: 20, streams: 5, eventsPerSecond: 20, pagesPerSecond: 10 })
      expect(ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('5 streams are open') })
      const { latencies, errors, feeds } = JSON.parse(ended.stdout)
      expect(errors).toEqual({ produce: 0, page: 0, notStreamed: 0 })
      expect(feeds).toEqual({ expected: 300, lost: 0, doubled: 0 })
      expect(latencies).toMatchObject({ producedToStream: { count: 75 }, page: { count: 50 } })
      console.log(`bench: stream p99 ${latencies.producedToStream.p99} ms, page p99 ${latencies.page.p99} ms`)
    })

    test('fails with a message for an invalid setting', async () => {
      const ended = await bench({ seconds: 0 })
      expect(ended).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('load.seconds') })
    })

    test('runs as a user other than root, without sources of other workspaces or tools', async () => {
      const { Config } = await inspect('image', image)
      expect(Config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
      const list = ['run', '--rm', '--entrypoint', 'ls', image, '/herald', '/herald/test', '/herald/node_modules']
      const { stdout } = await dockerToEnd(list)
      expect(stdout).toContain('kafkajs')
      expect(stdout).not.toMatch(/^(services|e2e|typescript|turbo|jest|testcontainers)$/m)
    })
  })
}
