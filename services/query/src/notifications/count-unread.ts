import type { Counts, FeedOwner } from '@herald/feed'
import type { Budget } from '@herald/runtime'
import type { Notifications } from '@herald/store'

/** Creates a function that counts the unread and unseen notifications of a user. Counts of one user wait for each other. */
export function createCountUnread(counts: Pick<Budget, 'within'>, notifications: Pick<Notifications, 'of'>) {
  return (owner: FeedOwner, waitMs?: number): Promise<Counts> =>
    counts.within(
      { subscriberId: owner.subscriberId, userId: owner.recipientId },
      1,
      () => notifications.of(owner).counts(),
      waitMs,
    )
}
