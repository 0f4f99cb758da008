import { withoutSafeguards } from './without-safeguards.ts'

/** A replacement in a built module; `find` must occur exactly once. */
export type Patch = {
  find: string
  replace: string
}

/** Deliberately broken ingest: modules of its build are replaced or patched at load time. */
export type Mutant = {
  name: string
  /** By the end of the module's URL: a replacement module of this folder, or patches. */
  modules: Readonly<Record<string, string | readonly Patch[]>>
}

const groupMember = 'packages/kafka/dist/client/group-member.js'
const batchRunner = 'services/ingest/dist/consume/batch-runner.js'
const recordHandler = 'services/ingest/dist/events/record-handler.js'
const deriveEventId = 'packages/contracts/dist/events/derive-event-id.js'
const announceCreated = 'services/ingest/dist/produce/announcement-publisher.js'
const creations = 'packages/feed/dist/announcements/creations.js'
const fanOutNotifications = 'packages/feed/dist/storing/store-notifications.js'
const erasedPersons = 'packages/persons/dist/erased-persons.js'
const erasures = 'packages/persons/dist/erasures.js'
const insertNew = 'packages/mongo/dist/writing/insert-new.js'

const refuseAll = (origins: string) =>
  `.catch((error) => ({ inserted: 0, duplicates: 0, created: { items: [] }, refused: ${origins}.map((document) => ({ document, reason: String(error) })) }))`

export const mutants: readonly Mutant[] = [
  {
    name: 'library-defaults',
    modules: {
      [groupMember]: [
        { find: 'autoCommit: false,', replace: 'autoCommit: true,' },
        { find: 'eachBatchAutoResolve: false,', replace: 'eachBatchAutoResolve: true,' },
      ],
      [batchRunner]: './library-defaults.ts',
    },
  },
  { name: 'commit-before-write', modules: { [batchRunner]: './commit-before-write.ts' } },
  {
    name: 'dead-letter-on-outage',
    modules: {
      [recordHandler]: [
        {
          find: 'store: notifications.insertNew }',
          replace: `store: (found) => notifications.insertNew(found)${refuseAll('found')} }`,
        },
        {
          find: 'store: changeEntries.insertNew }',
          replace: `store: (found) => changeEntries.insertNew(found)${refuseAll('found')} }`,
        },
      ],
    },
  },
  { name: 'replace-instead-of-insert', modules: { [insertNew]: './replace-instead-of-insert.ts' } },
  { name: 'resolve-before-stored', modules: { [batchRunner]: './resolve-before-stored.ts' } },
  {
    name: 'no-dedupe',
    modules: {
      [deriveEventId]: [
        {
          find: "hash('sha256', input,",
          replace: "hash('sha256', Buffer.concat([input, Buffer.from(String(Math.random()))]),",
        },
      ],
    },
  },
  {
    name: 'settle-before-publish',
    modules: {
      [announceCreated]: [
        {
          find: 'await publisher.publish(items, createdTimeoutMs)',
          replace: 'await settle(items); await publisher.publish(items, createdTimeoutMs)',
        },
      ],
    },
  },
  {
    name: 'announce-again',
    modules: {
      [creations]: [
        { find: 'unannounced: exists }, { ...readLimits, projection', replace: '}, { ...readLimits, projection' },
      ],
    },
  },
  {
    name: 'announce-before-stored',
    modules: {
      [fanOutNotifications]: [
        {
          find: 'const stored = await fence(() => insertNew(collection, documentsOf(toStore), pace));',
          replace:
            'const stored = { refused: [], inserted: 0, duplicates: 0 }; setTimeout(() => insertNew(collection, documentsOf(toStore)).catch(() => {}), 500);',
        },
      ],
    },
  },
  {
    name: 'store-erased-persons',
    modules: {
      [erasedPersons]: [{ find: 'found.get(subscriberId + personId)', replace: 'undefined' }],
    },
  },
  {
    name: 'erase-feeds-only',
    modules: {
      [erasures]: [{ find: 'erasurePhases[erasurePhases.indexOf(phase) + 1]', replace: 'undefined' }],
    },
  },
  ...withoutSafeguards,
]
