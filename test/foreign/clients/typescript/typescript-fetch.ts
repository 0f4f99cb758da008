// Calls Herald with the typescript-fetch client of openapi-generator, with the words BASE_URL TOKEN LOCATION.
import { ChangeLogApi, Configuration, MutesApi, NotificationsApi, SetMuteKindEnum } from './generated/typescript-fetch'

const [basePath = '', accessToken = '', location = ''] = process.argv.slice(2)
// It sends no `Accept`, and the checkpoint is text by default.
const configuration = new Configuration({ basePath, accessToken, headers: { accept: 'application/json' } })
const notifications = new NotificationsApi(configuration)
const mutes = new MutesApi(configuration)
const changeLog = new ChangeLogApi(configuration)

const listed = (await notifications.listNotifications({ limit: 10 })).data.notifications
const [first, second] = listed
if (!first || !second) throw new Error('Nothing is listed')
const marked = (await notifications.markNotificationRead({ notificationId: first.id })).data
const some = (await notifications.markNotificationsRead({ markRead: { ids: [second.id] } })).data
const every = (await notifications.markNotificationsRead({ markRead: { all: true, locationId: location } })).data
const { groups } = (await notifications.listNotificationGroups()).data
const mute = (await mutes.setMute({ kind: SetMuteKindEnum.Location, id: location, setMute: {} })).data
const muted = (await mutes.listMutes()).data.mutes
const changes = (await changeLog.listChangeEntries({ order: 'recorded' })).data
const { checkpoint } = (await changeLog.getCheckpoint()).data
const sealed = await (await changeLog.exportSealedLog()).text()

console.log(
  JSON.stringify({
    listed: listed.map((one) => one.metadata.mention.snippet),
    marked: [marked.id === first.id, marked.readAt !== null && marked.readAt.getTime() > 0],
    updated: [some.updated, every.updated, every.unreadCount],
    groups: groups.map((one) => [one.locationId, one.count, one.unreadCount, one.latest.id === first.id]),
    muted: [mute.kind, mute.id, mute.until, ...muted.map((one) => one.id)],
    changes: changes.changeEntries.map((one) => [
      ...[one.entityTitle, one.beforeState, one.afterState],
      one.createdAt.getFullYear() > 2000,
    ]),
    hasMore: changes.hasMore,
    checkpoint: checkpoint.split('\n')[1],
    sealed: sealed.trim().split('\n').length,
  }),
)
