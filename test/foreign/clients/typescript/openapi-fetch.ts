// Calls Herald with openapi-fetch and the types of openapi-typescript, with the words BASE_URL TOKEN LOCATION.
// @boundaries-ignore it is installed in the folder in which this program runs
import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript'

const [baseUrl = '', token = '', location = ''] = process.argv.slice(2)
const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
const herald = createClient<paths>({ baseUrl, headers })

/** The data of an answer that is not an error. */
function dataOf<Data>({ data, error }: { readonly data?: Data; readonly error?: unknown }): NonNullable<Data> {
  if (!data) throw new Error(JSON.stringify(error))
  return data
}

const listed = dataOf(await herald.GET('/', { params: { query: { limit: 10 } } })).data.notifications
const [first, second] = listed
if (!first || !second) throw new Error('Nothing is listed')
const params = { path: { notificationId: first.id } }
const marked = dataOf(await herald.PATCH('/notifications/{notificationId}/read', { params })).data
const some = dataOf(await herald.POST('/notifications/read', { body: { ids: [second.id] } })).data
const every = dataOf(await herald.POST('/notifications/read', { body: { all: true, locationId: location } })).data
const { groups } = dataOf(await herald.GET('/notifications/groups')).data
const place = { path: { kind: 'location', id: location } } as const
const mute = dataOf(await herald.PUT('/mutes/{kind}/{id}', { params: place, body: {} })).data
const muted = dataOf(await herald.GET('/mutes')).data.mutes
const recorded = { query: { order: 'recorded' } } as const
const changes = dataOf(await herald.GET('/change-entries', { params: recorded })).data
const signed = dataOf(await herald.GET('/change-entries/checkpoint'))
if (typeof signed === 'string') throw new Error('JSON was asked for')
const sealed = dataOf(await herald.GET('/change-entries/sealed', { parseAs: 'text' }))

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
    checkpoint: signed.data.checkpoint.split('\n')[1],
    sealed: sealed.trim().split('\n').length,
  }),
)
