import { shareHerald } from '@herald/local-herald'
import findServers from '@herald/test-servers/jest-setup'
import { run } from './run.ts'

/** Finds the servers of the run and starts the Herald that its files share. */
// biome-ignore lint/style/noDefaultExport: jest requires one.
export default async function setUp() {
  await findServers()
  const environment = { RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'warn', ANNOUNCE_UNREAD_AFTER_MINUTES: '1' }
  run.herald = await shareHerald('model', { environment, announces: true })
}
