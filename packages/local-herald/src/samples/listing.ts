import { eventually } from '@herald/test-servers'

const listedWithinMs = 60_000

/** Waits until everything published is listed and returns the ids of the notifications, newest first. */
export async function untilListed(baseUrl: string, token: string, expected: { mentions: number; changes: number }) {
  const description = `${expected.mentions} notifications and ${expected.changes} changes are listed`
  return eventually(
    async () => {
      const { notifications } = (await get(baseUrl, '/?limit=100', token)) as { notifications: { id: string }[] }
      const entries = (await get(baseUrl, '/change-entries/all', token)) as unknown[]
      const isListed = notifications.length >= expected.mentions && entries.length >= expected.changes
      return isListed && notifications.map(({ id }) => id)
    },
    { description, within: listedWithinMs, every: 100 },
  )
}

async function get(baseUrl: string, path: string, token: string) {
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { data: unknown }).data
}
