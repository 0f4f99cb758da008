import { createSealing, shareHerald } from '@herald/local-herald'
import findServers from '@herald/test-servers/jest-setup'
import { run } from './run.ts'

/** Finds the servers of the run and starts the Herald that its files share, unless `HERALD_BASE_URL` names another one. */
// biome-ignore lint/style/noDefaultExport: jest requires one.
export default async function setUp() {
  await findServers()
  run.herald = await shareHerald('e2e', {
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
    sealing: { ...createSealing(), SEAL_INTERVAL_SECONDS: '1' },
  })
}
