import { setTimeout as pause } from 'node:timers/promises'

const LISTED_WITHIN_MS = 60_000

/** Waits until everything published is listed and returns the ids of the notifications, newest first. */
export async function untilListed(baseUrl: string, token: string, expected: { mentions: number; changes: number }) {
  const deadline = Date.now() + LISTED_WITHIN_MS
  for (;;) {
    const { notifications } = (await get(baseUrl, '/?limit=100', token)) as { notifications: { id: string }[] }
    const entries = (await get(baseUrl, '/change-entries/all', token)) as unknown[]
    if (notifications.length >= expected.mentions && entries.length >= expected.changes) {
      return notifications.map(({ id }) => id)
    }
    if (Date.now() > deadline) {
      throw new Error(
        `Only ${notifications.length} notifications and ${entries.length} changes are listed after a minute.`,
      )
    }
    await pause(100)
  }
}

async function get(baseUrl: string, path: string, token: string) {
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { data: unknown }).data
}
