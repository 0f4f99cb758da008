import type { operations } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { createHeraldClient, type HeraldClient } from './client.ts'

type Operations = typeof operations
type Documentation = {
  [Id in keyof Operations]: Operations[Id]['tag'] extends 'Documentation' ? Id : never
}[keyof Operations]

// The compiler requires a call for every operation of the contract.
const calls: Record<Exclude<keyof Operations, Documentation>, (client: HeraldClient) => unknown> = {
  createNotification: ({ notifications }) => notifications.create,
  retractNotification: ({ notifications }) => notifications.retract,
  listNotifications: ({ notifications }) => notifications.list,
  getNotification: ({ notifications }) => notifications.get,
  markNotificationRead: ({ notifications }) => notifications.markRead,
  markNotificationUnread: ({ notifications }) => notifications.markUnread,
  markNotificationsRead: ({ notifications }) => notifications.markManyRead,
  archiveNotification: ({ notifications }) => notifications.archive,
  unarchiveNotification: ({ notifications }) => notifications.unarchive,
  archiveNotifications: ({ notifications }) => notifications.archiveMany,
  unarchiveNotifications: ({ notifications }) => notifications.unarchiveMany,
  markNotificationsSeen: ({ notifications }) => notifications.markSeen,
  listNotificationGroups: ({ notifications }) => notifications.groups,
  countUnreadNotifications: ({ notifications }) => notifications.counts,
  listMutes: ({ mutes }) => mutes.list,
  setMute: ({ mutes }) => mutes.set,
  removeMute: ({ mutes }) => mutes.remove,
  streamNotifications: ({ notifications }) => notifications.stream,
  listChangeEntries: ({ changeEntries }) => changeEntries.list,
  listAllChangeEntries: ({ changeEntries }) => changeEntries.all,
  getCheckpoint: ({ changeEntries }) => changeEntries.checkpoint,
  getCheckpointKeys: ({ changeEntries }) => changeEntries.checkpointKeys,
  getCheckpointConsistency: ({ changeEntries }) => changeEntries.consistency,
  getChangeEntryProof: ({ changeEntries }) => changeEntries.proof,
  exportSealedLog: ({ changeEntries }) => changeEntries.sealed,
}

test.each(Object.entries(calls))('the client has %s', (_, call) => {
  expect(call(createHeraldClient({ baseUrl: 'https://api.example', token: 'x' }))).toBeInstanceOf(Function)
})
