import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type StartedService, startService } from '@herald/local-herald'
import { createStore, type Store } from '@herald/store'
import { eventually, startReplicaSet, whyNoMongod } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { changeEntryAt } from '../query.fixture.ts'
import { createTestSealer } from './test-sealer.fixture.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const database = 'herald-sealed-log'
/** However busy the machine is, only a test that hangs takes longer. */
const hangsAfterMs = 300_000
// Skipped only where no mongod can run; one that fails to start fails the test.
const set = whyNoMongod(process.env) ? undefined : await startReplicaSet({ members: 3, replicaSet: 'sealed' })

const onOwnServers = set ? describe : describe.skip
onOwnServers('on servers of its own', () => {
  let store: Store
  let sealer: ReturnType<typeof createTestSealer>
  let service: StartedService
  let newToken: (subscriberId?: string) => Promise<{ token: string; subscriberId: string }>

  beforeAll(async () => {
    const uri = set?.uri ?? ''
    const issuer = await createTokenIssuer()
    newToken = async (subscriberId = randomUUID()) => ({
      subscriberId,
      token: await issuer.sign({ sub: randomUUID(), subscriber_id: subscriberId }),
    })
    store = createStore({ uri, database, applicationName: 'test' })
    await eventually(() => store.migrate().then(() => true))
    sealer = createTestSealer({ database, uri })
    await sealer.noteKey()
    const settings = { ...issuer.settings, RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'fatal' }
    service = await startService('query', { ...settings, MONGODB_URI: uri, MONGODB_DATABASE: database })
  }, hangsAfterMs)
  afterAll(async () => {
    await service?.stop()
    await sealer?.end()
    await store?.close()
    await set?.stop()
  })

  /** A sealed log of entries with 100 kB each that do not compress. */
  async function newLog(count: number) {
    const reader = await newToken()
    const noise = (n: number) =>
      Array.from({ length: 1_500 }, (_, part) => createHash('sha512').update(`${n} ${part}`).digest('hex')).join('')
    for (let n = 0; n < count; n += 20) {
      const times = Array.from({ length: Math.min(20, count - n) }, (_, offset) => n + offset)
      await store.changeEntries.insertNew(
        times.map((at) => changeEntryAt(start + at, reader.subscriberId, { afterState: `"${noise(at)}"` })),
      )
    }
    await sealer.record()
    await sealer.seal(reader.subscriberId)
    return reader
  }

  async function open(path: string, token: string): Promise<IncomingMessage> {
    const request = get(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` }, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }

  async function receive(response: IncomingMessage): Promise<{ bytes: number; isCut: boolean }> {
    let bytes = 0
    try {
      for await (const chunk of response) bytes += chunk.length
    } catch {
      return { bytes, isCut: true }
    }
    return { bytes, isCut: !response.complete }
  }

  test(
    'of a hundred exports at once one user gets a few, and another subscriber notices nothing',
    async () => {
      const greedy = await newLog(100)
      const modest = await newLog(3)
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => open('/change-entries/sealed', greedy.token)),
      )
      const accepted = responses.filter(({ statusCode }) => statusCode === 200)
      const refused = responses.filter(({ statusCode }) => statusCode === 429)
      expect([accepted.length, refused.length]).toEqual([4, 96])
      for (const { headers } of refused) expect(headers['retry-after']).toBe('5')
      expect(await receive(await open('/change-entries/sealed', modest.token))).toMatchObject({ isCut: false })
      for (const response of accepted) expect(await receive(response)).toMatchObject({ isCut: false })
      for (const response of refused) response.resume()
    },
    hangsAfterMs,
  )

  test(
    'a hundred proofs at once of one user are answered, or refused with a time to wait',
    async () => {
      const { token, subscriberId } = await newToken()
      const entries = Array.from({ length: 600 }, (_, n) => changeEntryAt(start + n, subscriberId))
      await store.changeEntries.insertNew(entries)
      await sealer.record()
      await sealer.seal(subscriberId)
      const responses = await Promise.all(
        entries.slice(0, 100).map(({ id }) => open(`/change-entries/${id}/proof`, token)),
      )
      for (const response of responses) {
        expect([200, 429]).toContain(response.statusCode)
        if (response.statusCode === 429) expect(response.headers['retry-after']).toBe('5')
        response.resume()
      }
      expect(responses.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThan(0)
    },
    hangsAfterMs,
  )

  test(
    'an export whose servers are lost is cut or whole, and works again with the next primary',
    async () => {
      const { token } = await newLog(600)
      const whole = await receive(await open('/change-entries/sealed', token))
      expect(whole.isCut).toBe(false)
      const response = await open('/change-entries/sealed', token)
      await once(response, 'readable')
      for (const member of set?.members ?? []) member.kill('SIGKILL')
      const lost = await receive(response)
      expect([lost.isCut, lost.bytes < whole.bytes]).toEqual([true, true])
      for (const member of set?.members ?? []) await member.restart()
      await eventually(
        async () => {
          const again = await open('/change-entries/sealed', token)
          const received = await receive(again)
          return again.statusCode === 200 && !received.isCut && received.bytes === whole.bytes
        },
        { within: hangsAfterMs / 4 },
      )
    },
    hangsAfterMs,
  )

  test(
    'over stepdowns, each export is whole, cut, or refused',
    async () => {
      const { token } = await newLog(200)
      const whole = await receive(await open('/change-entries/sealed', token))
      let isOver = false
      const outcomes: string[] = []
      const reading = (async () => {
        while (!isOver) {
          const response = await open('/change-entries/sealed', token)
          const { bytes, isCut } = await receive(response)
          if (response.statusCode === 200 && !isCut) expect(bytes).toBe(whole.bytes)
          else if (response.statusCode !== 200) expect(response.statusCode).toBe(503)
          outcomes.push(response.statusCode === 200 && !isCut ? 'whole' : 'failed')
        }
      })()
      const client = new MongoClient(set?.uri ?? '')
      for (let round = 0; round < 2; round++) {
        await eventually(async () => {
          const { isWritablePrimary } = await client.db('admin').command({ hello: 1 })
          if (!isWritablePrimary) return false
          await client.db('admin').command({ replSetStepDown: 10, force: true })
          return true
        })
        const before = outcomes.filter((outcome) => outcome === 'whole').length
        await eventually(async () => outcomes.filter((outcome) => outcome === 'whole').length > before + 2, {
          within: hangsAfterMs / 4,
        })
      }
      isOver = true
      await reading
      await client.close()
    },
    hangsAfterMs,
  )
})
