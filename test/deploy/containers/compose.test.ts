import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { describeBench } from './bench-tests.ts'
import { describeCommand } from './command-tests.ts'
import { composeServices } from './compose-file.ts'
import { type Composition, createComposition } from './composition.ts'
import { describeDashboards } from './dashboard-tests.ts'
import { docker, inspect, root, whyNoDocker } from './docker.ts'
import { eventually } from './eventually.ts'
import { startFlow } from './flow.ts'
import { haveImage } from './images.ts'
import { superfluous } from './superfluous.ts'

const why = whyNoDocker()
if (why) console.warn(`Skipped the image and compose tests: ${why}.`)
const onDocker = why ? describe.skip : describe

onDocker('docker compose --profile observability up --wait', () => {
  let composition: Composition

  beforeAll(async () => {
    for (const service of ['kafka', 'mongodb', 'gateway', 'prometheus']) {
      const found = await haveImage(service)
      if (!found) throw new Error(`The image of ${service} is unavailable: ${composeServices().get(service)?.image}`)
      if (found === 'stand-in')
        console.warn(`Using a stand-in for the image of ${service}, built from Debian's package.`)
    }
    composition = await createComposition()
    await composition.build()
    await composition.up()
  }, 1_800_000)
  afterAll(async () => {
    await composition?.down()
  })

  describe.each(['ingest', 'query', 'token-issuer'])('the image of %s', (service) => {
    const image = () => composeServices().get(service)?.image as string

    test('runs node as a non-root user, with labels and without a health check', async () => {
      const { Config } = await inspect('image', image())
      expect(Config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
      expect(Config.Cmd[0]).toBe('node')
      expect(Config.Cmd.at(-1)).toMatch(/\/dist\/main\.js$/)
      expect(Config.Healthcheck).toBeUndefined()
      for (const label of ['title', 'description', 'licenses', 'version', 'revision', 'base.name']) {
        expect(Config.Labels[`org.opencontainers.image.${label}`]).toMatch(/./)
      }
    })

    test('contains no sources, tests or tools, and adds less than 60 MB to Node.js', async () => {
      const files = await docker(['run', '--rm', '--entrypoint', 'find', image(), '/herald', '-maxdepth', '4'])
      expect(files.split('\n').filter((file) => superfluous.test(file))).toEqual([])
      const [own, base] = await Promise.all([inspect('image', image()), inspect('image', 'node:24-bookworm-slim')])
      expect(own.Size - base.Size).toBeLessThan(60_000_000)
    })
  })

  test.each(['ingest', 'query', 'token-issuer', 'gateway', 'kafka', 'mongodb', 'prometheus'])(
    'the container of %s is read-only, has no capabilities, has a memory limit and listens on loopback only',
    async (service) => {
      const { Config, HostConfig, State } = await inspect('container', await composition.containerOf(service))
      expect(State.Running).toBe(true)
      expect(HostConfig).toMatchObject({
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
      })
      expect(HostConfig.Memory).toBeGreaterThan(0)
      expect(Config.User).not.toMatch(/^(root|0)?(:|$)/)
      for (const [{ HostIp }] of Object.values(HostConfig.PortBindings) as [{ HostIp: string }][]) {
        expect(HostIp).toBe('127.0.0.1')
      }
    },
  )

  describeCommand(() => composition)

  test('test/system/e2e passes behind the gateway', async () => {
    const { baseUrl, tokenIssuer, brokers, mongodbUri } = composition
    const environment = {
      ...process.env,
      HERALD_TEST_RUN: undefined,
      HERALD_BASE_URL: baseUrl,
      HERALD_TOKEN_ISSUER: tokenIssuer,
      KAFKA_BROKERS: brokers.join(','),
      MONGODB_URI: mongodbUri,
    }
    const suite = promisify(execFile)('npm', ['run', 'test:attached', '-w', '@herald/system-tests'], {
      cwd: root,
      env: environment,
      maxBuffer: 64 * 1024 * 1024,
    })
    const { stderr } = await suite.catch((error) => {
      throw new Error(`${error.stdout}\n${error.stderr}`)
    })
    const [line = ''] = stderr.match(/^Tests:.*$/m) ?? []
    console.log(line)
    expect(line).toMatch(/^Tests: +(\d+ skipped, )?[2-9]\d\d passed, \d+ total$/)
  })

  describeDashboards(() => composition)
  describeBench(() => composition)

  test.each(['ingest', 'query', 'gateway', 'token-issuer', 'mongodb', 'kafka'])(
    'no event is lost or stored twice when %s is killed under load and restarted',
    async (service) => {
      const flow = await startFlow(composition)
      await eventually('events and requests flow', async () => flow.count() > 200)
      const killedAt = flow.count()
      await composition.compose('kill', service)
      expect((await inspect('container', await composition.containerOf(service))).State.Running).toBe(false)
      await composition.up()
      await eventually('the flow continues', async () => flow.count() > killedAt + 200)

      const acknowledged = await flow.stop()
      await eventually('everything is listed', async () => (await flow.listed()).length >= acknowledged.length)
      expect(await flow.listed()).toEqual(acknowledged)
      console.log(
        `${service}: killed after ${killedAt}, ${acknowledged.length} of ${acknowledged.length} stored exactly once`,
      )
    },
  )

  test.each(['ingest', 'query'])('%s stops gracefully with exit code 0', async (service) => {
    await composition.compose('stop', service)
    expect((await inspect('container', await composition.containerOf(service))).State.ExitCode).toBe(0)
  })

  test('down removes everything', async () => {
    await composition.down()
    for (const kind of ['volume', 'network']) {
      const left = await docker([
        kind,
        'ls',
        '--quiet',
        '--filter',
        `label=com.docker.compose.project=${composition.project}`,
      ])
      expect(left).toBe('')
    }
    expect(await composition.compose('ps', '--all', '--quiet')).toBe('')
  })
})
