import { createSealing, shareHerald } from '@herald/local-herald'
import findServers from '@herald/test-servers/jest-setup'
import { run } from './run.ts'

/** Finds the servers of the run and starts the Herald that its files share, unless `HERALD_BASE_URL` names another one. */
// biome-ignore lint/style/noDefaultExport: jest requires one.
export default async function setUp() {
  await findServers()
  run.herald = await shareHerald('system', {
    environment: { RATE_LIMIT_PER_MINUTE: '1000000', ANNOUNCE_UNREAD_AFTER_MINUTES: '1' },
    sealing: { ...createSealing(), SEAL_INTERVAL_SECONDS: '1' },
    announces: true,
  })
}
