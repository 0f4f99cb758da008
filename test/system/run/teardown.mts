import stopServers from '@herald/test-servers/jest-teardown'
import { run } from './run.ts'

/** Stops the shared Herald, then the servers that the setup started. */
// biome-ignore lint/style/noDefaultExport: jest requires one.
export default async function tearDown() {
  await run.herald?.stop()
  await stopServers()
}
