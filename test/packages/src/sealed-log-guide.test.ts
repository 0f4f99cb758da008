import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSealedLog, formatExport } from '@herald/sealed-log/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runGuideOutside } from './guide.ts'
import { workspaceFolder } from './packed.ts'

// Answers in the form of the API, with a log that grows between the first checkpoint and the second one.
const log = createSealedLog()
log.addEntries(50)
log.erase(4)
const first = log.seal()
log.addEntries(30)
const second = log.seal()
const consistency = async (from: number, to: number) => ({
  ...{ from, to },
  hashes: (await log.proveConsistency(from, to)).map((hash) => hash.toString('base64')),
  checkpoint: second,
})
let checkpoints = [first, second]

const json = (data: unknown) => JSON.stringify({ data })
async function respond(url: URL): Promise<string | undefined> {
  const size = (name: string) => Number(url.searchParams.get(name))
  if (url.pathname === '/change-entries/checkpoint') {
    const [next = second, ...others] = checkpoints
    checkpoints = others
    return next
  }
  if (url.pathname === '/change-entries/sealed') return formatExport(log.lines, second)
  if (url.pathname === '/change-entries/checkpoint/key') return json({ keys: [log.verifierKey] })
  if (url.pathname === '/change-entries/checkpoint/consistency')
    return json(await consistency(size('from'), size('to')))
  return undefined
}

let server: Server
beforeAll(async () => {
  server = createServer(async ({ url = '' }, response) => {
    const body = await respond(new URL(url, 'http://localhost'))
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

test('the code blocks of services/query/guides/prove-the-change-log.md run', async () => {
  const { port } = server.address() as AddressInfo
  const variables = { BASE: `http://127.0.0.1:${port}`, TOKEN: 'token', HERALD: workspaceFolder.replace(/\/$/, '') }
  const printed = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`)
  const steps = await runGuideOutside('services/query/guides/prove-the-change-log.md', printed.join('\n'))
  expect(steps.length).toBe(5)
  for (const { printed, expected } of steps) if (expected !== undefined) expect(printed.trim()).toBe(expected)
  // Five entries of one user were erased, and thirty are behind the first checkpoint.
  expect(steps[1]?.printed.match(/^3 \d+ entry /gm)).toHaveLength(5)
  expect(steps[1]?.printed).toMatch(/^4 51-80 30 leaves, .*\nexit code 3$/m)
})
