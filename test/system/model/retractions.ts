import type { Created } from './feed-model.ts'

/** A retraction from all recipients, or from these. */
export type Retraction = { readonly subscriberId: string; readonly recipientIds?: readonly string[] | undefined } & (
  | { readonly notificationId: string }
  | { readonly locationType: string; readonly locationId: string; readonly until: number }
)

/** Clocks of `POST /` and of publishers may differ by this much. */
const clockMs = 30_000

/** Retractions add up and stay for ever. */
export function createRetractions() {
  const all: Retraction[] = []

  const concerns = (retraction: Retraction, { subscriberId, content, createdAt, via }: Created): boolean => {
    if (retraction.subscriberId !== subscriberId) return false
    if ('notificationId' in retraction) return retraction.notificationId === content.id
    const { locationType, locationId, until } = retraction
    if (content.locationType !== locationType || content.locationId !== locationId) return false
    return createdAt <= until + (via === 'http' ? clockMs : 0)
  }

  return {
    add: (retraction: Retraction) => void all.push(retraction),
    isRetracted: (created: Created, userId: string) =>
      all.some((one) => (one.recipientIds?.includes(userId) ?? true) && concerns(one, created)),
  }
}

export type Retractions = ReturnType<typeof createRetractions>
