// Calls Herald with the client of hey-api, with the words BASE_URL TOKEN LOCATION.
import * as herald from './generated/hey-api'
import { createClient } from './generated/hey-api/client'

const [baseUrl = '', token = '', location = ''] = process.argv.slice(2)
// It sends no `Accept`, and the checkpoint is text by default.
const client = createClient({ baseUrl, auth: token, headers: { accept: 'application/json' } })
const options = { client, throwOnError: true } as const

const listed = (await herald.listNotifications({ ...options, query: { limit: 10 } })).data.data.notifications
const [first, second] = listed
if (!first || !second) throw new Error('Nothing is listed')
const marked = (await herald.markNotificationRead({ ...options, path: { notificationId: first.id } })).data.data
const some = (await herald.markNotificationsRead({ ...options, body: { ids: [second.id] } })).data.data
const every = (await herald.markNotificationsRead({ ...options, body: { all: true, locationId: location } })).data.data
const { groups } = (await herald.listNotificationGroups(options)).data.data
const mute = (await herald.setMute({ ...options, path: { kind: 'location', id: location }, body: {} })).data.data
const muted = (await herald.listMutes(options)).data.data.mutes
const changes = (await herald.listChangeEntries({ ...options, query: { order: 'recorded' } })).data.data
const { checkpoint } = (await herald.getCheckpoint(options)).data.data
const sealed = await (await herald.exportSealedLog(options)).data.text()

console.log(
  JSON.stringify({
    listed: listed.map((one) => one.metadata.mention.snippet),
    marked: [marked.id === first.id, marked.readAt !== null && Date.parse(marked.readAt) > 0],
    updated: [some.updated, every.updated, every.unreadCount],
    groups: groups.map((one) => [one.locationId, one.count, one.unreadCount, one.latest.id === first.id]),
    muted: [mute.kind, mute.id, mute.until, ...muted.map((one) => one.id)],
    changes: changes.changeEntries.map((one) => [
      ...[one.entityTitle, one.beforeState, one.afterState],
      Date.parse(one.createdAt) > 0,
    ]),
    hasMore: changes.hasMore,
    checkpoint: checkpoint.split('\n')[1],
    sealed: sealed.trim().split('\n').length,
  }),
)
