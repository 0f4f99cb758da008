import { fileURLToPath } from 'node:url'
import type { StartedServers } from '@herald/test-servers'
import type { StartedHerald } from '../herald.ts'
import type { StartedMail } from '../mail/start-mail.ts'
import type { SampleAccount } from '../samples/samples.ts'

const workspaceRoot = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/\/$/, '')

export type Running = {
  herald: Pick<StartedHerald, 'baseUrl' | 'topics' | 'tokens'>
  servers: Pick<StartedServers, 'kafkaBrokers' | 'mongodbUri'>
  account: SampleAccount
  token: string
  otherToken: string
  /** A notification for the command that marks one. */
  notificationId: string
  demoUrl: string
  mail: Pick<StartedMail, 'smtpAddress' | 'problem'>
}

/** The final output of `npm start`: shell commands that can be pasted as they are. */
export function instructions(running: Running): string {
  const { herald, servers, account, token, otherToken, notificationId, demoUrl, mail } = running
  const { baseUrl, topics, tokens } = herald
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

  const erased = account.people.find(({ key }) => key === 'jonas') ?? account.people[0]

  return `
Herald runs at ${baseUrl}
See it at      ${demoUrl}
${mail.problem() === undefined ? `E-mails at     ${demoUrl}#mailbox` : `No e-mails:    ${mail.problem()}`}
SMTP server at ${mail.smtpAddress}

# Variables for the guides: this workspace, a user with subscriber and token, a colleague's token, the services' settings
${exports({
  HERALD: workspaceRoot,
  BASE: baseUrl,
  USER_ID: account.userId,
  SUBSCRIBER_ID: account.subscriberId,
  TOKEN: token,
  OTHER_TOKEN: otherToken,
  KAFKA_BROKERS: servers.kafkaBrokers.join(','),
  KAFKA_GROUP_ID: 'herald-ingest',
  MONGODB_URI: servers.mongodbUri,
  MONGODB_DATABASE: 'herald',
  AUTH_ISSUER: tokens.issuer,
  AUTH_AUDIENCE: tokens.audience,
  AUTH_PUBLIC_KEY: tokens.publicKeyPem.trim().replaceAll('\n', '\\n'),
})}

# Create a notification
${curl} -H 'Content-Type: application/json' -d '${JSON.stringify(notification)}' "$BASE/"

# List the current user's notifications
${curl} "$BASE/?limit=5"

# Mark one as unread
${curl} -X PATCH "$BASE/notifications/${notificationId}/unread"

# List all change entries of the current subscriber
${curl} "$BASE/change-entries/all"

# Verify offline that no change entry was changed, removed or inserted since it was sealed
proof=$(mktemp -d)
${curl} --fail "$BASE/change-entries/checkpoint" -o "$proof/checkpoint"
${curl} --fail "$BASE/change-entries/sealed" -o "$proof/sealed.ndjson"
${curl} --fail "$BASE/change-entries/checkpoint/key" -o "$proof/keys.json"
verify() {
  ${quoted(process.execPath)} "$HERALD/services/query/dist/verify.js" --checkpoint "$proof/checkpoint" --export "$proof/sealed.ndjson" \\
    --key "$(sed 's/.*"keys":\\["\\([^"]*\\)".*/\\1/' "$proof/keys.json")"
}
verify

# Publish an event, here with kcat
echo '${JSON.stringify(event)}' | kcat -P -b "$KAFKA_BROKERS" -t ${topics.mention} -k "$SUBSCRIBER_ID" \\
  -H content-type=application/json -H ce_specversion=1.0 -H ce_type=herald.mention.created.v1 -H ce_source=/kcat \\
  -H ce_id="$(date +%s)" -H ce_time="$(date -u +%Y-%m-%dT%H:%M:%SZ)" -H ce_subscriberid="$SUBSCRIBER_ID"

# Erase a person, here ${erased.name}; cannot be undone
KAFKA_PRIVACY_TOPIC=${topics.privacy} ${quoted(process.execPath)} "$HERALD/node_modules/.bin/herald" erase \\
  --subscriber "$SUBSCRIBER_ID" --person ${erased.id}

Ctrl-C stops everything.
`
}

const exports = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n')

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
