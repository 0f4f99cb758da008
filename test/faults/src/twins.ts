/** Parts that the short run leaves out, and the tests that prove the same each time, without load. */
export const twins: Readonly<Record<string, string>> = {
  'no-names': 'packages/mongo/src/connection/lasting-client.int.test.ts',
  'dead-letters-away': 'services/ingest/src/consume/dead-letter-topic.int.test.ts',
  'dead-letters-narrow': 'services/ingest/src/consume/dead-letter-topic.int.test.ts',
  clocks: 'packages/feed/src/marks/read-state.int.test.ts',
  hanging: 'services/ingest/src/hung-storage.int.test.ts',
  'late-writers': 'packages/feed/src/storing/late-writers.int.test.ts',
}
