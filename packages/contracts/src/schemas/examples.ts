// Examples of the API documentation; tests validate each against its schema.
const userId = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const recipientId = '16fd2706-8baf-433b-82eb-8c7fada847da'
const time = '2026-01-31T09:30:00Z'

const content = {
  type: 'mention',
  actorType: 'user',
  subjectId: recipientId,
  subjectType: 'user',
  locationId: '6fa459ea-ee8a-3ca4-894e-db77e160355e',
  locationType: 'comment',
  metadata: {
    mention: { mentionerName: 'Ada Lovelace', snippet: 'Could you look at this?', entityType: 'portfolio' },
    add: {},
    edit: {},
  },
} as const

const stored = {
  id: '019c12d4-1a40-7cc3-98c4-dc0c0c07398f',
  subscriberId: 'a8098c1a-f86e-41da-bd1a-00112444be1e',
  actorId: userId,
  ...content,
  createdAt: time,
  updatedAt: time,
  actor: { id: userId, name: 'Ada Lovelace', image: 'https://images.example/ada.png' },
} as const

const changeEntry = {
  id: '019c12d4-1a40-71d1-a5b1-3c0b6e1c9a10',
  user: { id: userId, name: 'Ada Lovelace', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: 'Engines',
  actionType: 'update',
  changedField: 'name',
  createdAt: time,
  beforeState: { name: 'Engine' },
  afterState: { name: 'Engines' },
} as const

// A log of two leaves, the first of which is the change entry above.
const logName = `log.example.com/herald/${stored.subscriberId}`
const checkpoint = `${logName}
2
qYnce3VxTrXZBhkOraoW3FOTzvRujzOeGjm8GYZEYng=

— ${logName} WWfRGBHazI/f2KwZucv3S0TQ/WHLBaq1sbfKhMPkBnz5kHWRqM/JehJxmifWRW3ZX5IzRGqlCLdpZ4y2e2mMkXoFFQ8=
`
const leaf = {
  salt: 'r9ytZBDOzdMCSIp+RgufSyZWHMM2uRgM70mTSXhnNYg=',
  userSalt: 'rYnzZteS+m9suvK0BaGDfsglJdWilwdNneATAYP9qgQ=',
  leafHash: 'jICYsidZVYYBowAm6wCp5QFCxVrtAHjetdHI1IJbNFw=',
}
const otherLeafHash = 'PH6byTDck/AfppmF7yQtn56GHzxTVaokzl70tLinDMs='
const { salt, userSalt, leafHash } = leaf
/** The data of the first leaf. */
const leafData = [
  'Aa/crWQQzs3TAkiKfkYLn0smVhzDNrkYDO9Jk0l4ZzWIeyJhY3Rpb25UeXBlIjoidXBkYXRlIiwiYWZ0ZXJTdGF0ZSI6eyJuYW1l',
  'IjoiRW5naW5lcyJ9LCJiZWZvcmVTdGF0ZSI6eyJuYW1lIjoiRW5naW5lIn0sImNoYW5nZWRGaWVsZCI6Im5hbWUiLCJjcmVhdGVk',
  'QXQiOiIyMDI2LTAxLTMxVDA5OjMwOjAwWiIsImVudGl0eUlkIjoicC0xIiwiZW50aXR5VGl0bGUiOiJFbmdpbmVzIiwiZW50aXR5',
  'VHlwZSI6InBvcnRmb2xpbyIsImlkIjoiMDE5YzEyZDQtMWE0MC03MWQxLWE1YjEtM2MwYjZlMWM5YTEwIiwidXNlckhhc2giOiJP',
  'cXgxbWNrNjArYWlzcGI4b3NHSEt5NXF0NFkxajF0RzZxaGs3cEdSK0Q0PSJ9',
].join('')
const sealedLines = [
  { checkpoint },
  { leafIndex: 0, leafHash, salt, userSalt, entry: changeEntry },
  { leafIndex: 1, leafHash: otherLeafHash, gone: 'expired' },
]

const notification = { ...stored, readAt: null, emailSentAt: null } as const
const event = (name: string, data: object) => `id: bHVra2E\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

export const examples = {
  createNotification: { ...content, recipientIds: [recipientId] },
  createdNotification: { data: { ...stored, recipients: [{ recipientId, readAt: null, emailSentAt: null }] } },
  notification: { data: notification },
  notificationPage: { data: { notifications: [notification], nextCursor: null } },
  markMany: { some: { ids: [stored.id] }, all: { all: true }, upTo: { all: true, upTo: stored.id } },
  archiveMany: {
    some: { ids: [stored.id] },
    read: { all: true, status: 'read' },
    group: { all: true, locationType: 'comment', locationId: content.locationId, upTo: stored.id },
  },
  marked: { data: { updated: 1, unreadCount: 4, unseenCount: 2 } },
  markSeen: { all: {}, shown: { upTo: stored.id } },
  seen: { data: { unseenCount: 0, seenUpTo: stored.id } },
  unreadCount: { data: { unreadCount: 5, unseenCount: 2, seenUpTo: stored.id } },
  groups: {
    data: {
      groups: [
        {
          locationType: content.locationType,
          locationId: content.locationId,
          latest: notification,
          count: 4,
          unreadCount: 3,
          actors: [stored.actor],
          otherActors: 0,
        },
      ],
      nextCursor: null,
      truncated: false,
    },
  },
  mute: { forGood: {}, until: { until: '2099-12-31T00:00:00Z' } },
  muted: { data: { kind: 'location', id: content.locationId, until: null } },
  mutes: { data: { mutes: [{ kind: 'location', id: content.locationId, until: null }] } },
  changeEntries: { data: [changeEntry] },
  changeEntryPage: { data: { changeEntries: [changeEntry], nextCursor: changeEntry.id } },
  changeEntryLines: `${JSON.stringify(changeEntry)}\n`,
  checkpointNote: checkpoint,
  checkpoint: { data: { checkpoint } },
  checkpointKeys: { data: { keys: [`${logName}+5967d118+AbKaADiasvw1Bc5dvmqRv2ai6AIxv2NlO3rdkoPECMIQ`] } },
  consistency: { data: { from: 1, to: 2, hashes: [otherLeafHash], checkpoint } },
  changeEntryProof: {
    data: {
      leafIndex: 0,
      treeSize: 2,
      ...leaf,
      userHash: 'Oqx1mck60+aispb8osGHKy5qt4Y1j1tG6qhk7pGR+D4=',
      hashes: [otherLeafHash],
      checkpoint,
    },
  },
  tlogProof: `c2sp.org/tlog-proof@v1\nextra ${leafData}\nindex 0\n${otherLeafHash}\n\n${checkpoint}`,
  sealedLines: sealedLines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  stream: event('unread-count', { unreadCount: 5, unseenCount: 2 }),
} as const
