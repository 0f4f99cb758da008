import { takeForTeardown } from './servers-of-a-run.ts'

/** Stops the servers that the setup started. */
// biome-ignore lint/style/noDefaultExport: jest requires one.
export default async function stopServers() {
  await takeForTeardown()?.stop()
}
