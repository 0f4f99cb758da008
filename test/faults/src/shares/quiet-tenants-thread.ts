import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { pause } from '../until.ts'
import type { QuietFigures, QuietTenantsData } from './quiet-tenants.ts'

const { query, ingest, tokens } = workerData as QuietTenantsData
/** Within the rate limit of a user. */
const pauseMs = 125
const exportEvery = 20
const createEvery = 10

const stop = new AbortController()
let times: number[] = []
let errors: string[] = []

async function ask(path: string, token: string, body?: string): Promise<void> {
  const startedAt = performance.now()
  const response = await fetch(`${body === undefined ? query : ingest}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(30_000),
  })
  const text = await response.text()
  times.push(performance.now() - startedAt)
  if (!response.ok) errors.push(`${body === undefined ? 'GET' : 'POST'} ${path}: ${response.status} ${text}`)
}

async function live(token: string): Promise<void> {
  for (let n = 0; !stop.signal.aborted; n++) {
    const isCreation = n % createEvery === 5
    const path =
      n % exportEvery === 0 ? '/change-entries/all' : n % 2 === 0 || isCreation ? '/' : '/?locationType=comment'
    const request = ask(path, token, isCreation ? smallCreation() : undefined)
    await request.catch((error) => errors.push(`${path}: ${error} ${error.cause ?? ''}`))
    await pause(pauseMs)
  }
}

function take(): QuietFigures {
  const sorted = times.toSorted((a, b) => a - b)
  const figures = { requests: sorted.length, errors, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
  times = []
  errors = []
  return figures
}

function smallCreation(): string {
  const [subjectId, locationId, recipientId] = [randomUUID(), randomUUID(), randomUUID()]
  const mention = { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }
  const place = { subjectId, subjectType: 'user', locationId, locationType: 'comment' }
  return JSON.stringify({
    type: 'mention',
    actorType: 'user',
    ...place,
    metadata: { mention },
    recipientIds: [recipientId],
  })
}

const running = tokens.map(live)

parentPort?.on('message', async (request: 'take' | 'stop') => {
  if (request === 'stop') {
    stop.abort()
    await Promise.all(running)
  }
  parentPort?.postMessage(take())
})
