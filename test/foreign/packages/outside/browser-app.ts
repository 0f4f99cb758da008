import { createHeraldClient, isHeraldProblem, type LossReason } from '@herald/client'

/** Uses the client like a page: stream, list, error. */
export async function readFeed(
  baseUrl: string,
  token: string,
): Promise<{ count: number; kinds: string[]; code: string }> {
  const herald = createHeraldClient({ baseUrl, token: () => token })
  const kinds: string[] = []
  let lost: LossReason | undefined
  for await (const event of herald.notifications.stream()) {
    kinds.push(event.type)
    if (event.type === 'lost') lost = event.reason
    if (event.type === 'heartbeat' || lost) break
  }
  const { notifications } = await herald.notifications.list({ createdFrom: new Date(0) })
  const error = await herald.notifications
    .get('0190a6e0-7c1b-7def-8abc-000000000001')
    .catch((caught: unknown) => caught)
  return { count: notifications.length, kinds, code: isHeraldProblem(error) ? error.code : 'none' }
}

// @ts-expect-error there is no such status
export const wrong = () => createHeraldClient({ baseUrl: '', token: '' }).notifications.list({ status: 'seen' })
