import type { StartedHerald } from '../herald.ts'
import type { SampleAccount } from './samples.ts'

export interface Running {
  herald: Pick<StartedHerald, 'baseUrl' | 'topics'>
  brokers: readonly string[]
  account: SampleAccount
  token: string
  otherToken: string
  /** One that is there to be marked. */
  notificationId: string
  demoUrl: string
}

/** What `npm start` prints at the end: lines for a shell that work as they are, one after the other. */
export function instructions(running: Running): string {
  const { herald, brokers, account, token, otherToken, notificationId, demoUrl } = running
  const { baseUrl, topics } = herald
  const curl = `curl -sS -H "Authorization: Bearer $TOKEN"`
  const notification = {
    type: 'mention',
    actorType: 'user',
    subjectId: account.userId,
    subjectType: 'user',
    locationId: '6f1c1f0e-5a0b-4c2e-9d0a-3b1d7a1c9e55',
    locationType: 'comment',
    metadata: {
      mention: { mentionerName: 'Amara Okafor', snippet: 'could you have a look?', entityType: 'portfolio' },
      add: {},
      edit: {},
    },
    recipientIds: [account.userId, account.otherUserId],
  }
  const { type: _type, ...data } = notification
  const event = { ...data, actor: { id: account.otherUserId, name: 'Amara Okafor', image: '' } }

  return `
Herald runs at ${baseUrl}
See it at      ${demoUrl}

# A token for user ${account.userId} of subscriber ${account.subscriberId}, and one for a colleague:
export TOKEN=${token}
export OTHER_TOKEN=${otherToken}

# Create a notification
${curl} -H 'Content-Type: application/json' -d '${JSON.stringify(notification)}' '${baseUrl}/'

# List the current user's notifications
${curl} '${baseUrl}/?limit=5'

# Mark one as unread
${curl} -X PATCH '${baseUrl}/notifications/${notificationId}/unread'

# List all change entries of the current subscriber
${curl} '${baseUrl}/change-entries/all'

# Publish an event, here with kcat
echo '${JSON.stringify(event)}' | kcat -P -b ${brokers.join(',')} -t ${topics.mention} -k ${account.subscriberId} \\
  -H content-type=application/json -H ce_specversion=1.0 -H ce_type=herald.mention.created.v1 -H ce_source=/kcat \\
  -H ce_id="$(date +%s)" -H ce_time="$(date -u +%Y-%m-%dT%H:%M:%SZ)" -H ce_subscriberid=${account.subscriberId}

Ctrl-C stops everything.
`
}
