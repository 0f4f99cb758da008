import { eventually } from '@herald/test-servers'

const listedWithinMs = 60_000
const sealedWithinMs = 60_000

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

/** Waits until a checkpoint covers so many leaves of the change log. */
export async function untilSealed(baseUrl: string, token: string, leaves: number): Promise<void> {
  const isSealed = async () => {
    const { checkpoint } = (await get(baseUrl, '/change-entries/checkpoint', token)) as { checkpoint: string }
    return Number(checkpoint.split('\n')[1]) >= leaves
  }
  await eventually(isSealed, { description: `${leaves} changes are sealed`, within: sealedWithinMs, every: 200 })
}

async function get(baseUrl: string, path: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const response = await fetch(baseUrl + path, { headers })
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { data: unknown }).data
}
