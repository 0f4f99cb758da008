import { cpuTimes, withCpuTime } from '../cpu-time.ts'
import type { BenchContext } from '../part.ts'
import { showNumber } from '../show-number.ts'
import type { QueryBench } from './bench-query.ts'
import { type LoadOptions, type LoadRequest, load } from './http-load.ts'

export type Server = { readonly url: string; readonly pid: number }
export type MeasuredRequests = Awaited<ReturnType<typeof measureRequests>>

export const connections = 16

/** The rate of a server under load, with the CPU time per request. */
export function measureRequests(
  { serverProcesses }: Pick<BenchContext, 'serverProcesses'>,
  { url, pid }: Server,
  options: Omit<LoadOptions, 'baseUrl'>,
) {
  return withCpuTime(
    { service: pid, ...serverProcesses },
    () => load({ baseUrl: url, connections, ...options }),
    ({ requests }) => requests,
  )
}

export const showRequests = ({ perSecond, p50, p99, cpu }: MeasuredRequests) =>
  `${showNumber(perSecond)}/s, p50 ${p50} ms, p99 ${p99} ms, CPU ${Object.values(cpu).map(showNumber).join(' + ')} µs`

export const requestFigure = (results: readonly MeasuredRequests[]) => ({
  measured: results.map(({ perSecond }) => perSecond),
  cpu: cpuTimes(results),
})

/** Returns one request for each user, with the user's token. */
export const ownRequests = ({ users }: Pick<QueryBench, 'users'>, path: string): LoadRequest[] =>
  users.map(({ token }) => ({ path, token }))

/**
 * Sends one request per user. A token is verified at its first request, whose cost is a separate figure; measuring that
 * one displaces the tokens of the others from the service's cache.
 */
export async function verifyTokens({ query, users }: Pick<QueryBench, 'query' | 'users'>): Promise<void> {
  await load({ baseUrl: query.url, connections, requests: ownRequests({ users }, '/'), once: true, seconds: 0 })
}
