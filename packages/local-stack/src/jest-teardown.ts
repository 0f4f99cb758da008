import { takeForTeardown } from './servers-of-a-run.ts'

/** Stops what the set-up started. */
// biome-ignore lint/style/noDefaultExport: jest asks for one.
export default async function stopServers() {
  await takeForTeardown()?.stop()
}
