import { findServerPrograms, whyNoPip, whyNoServerPrograms } from '@herald/test-servers'
import { findPythonClient } from './campaign/python-client.ts'

export type Needs = { kind: 'found'; python: NodeJS.ProcessEnv } | { kind: 'missing'; reason: string }

/**
 * Finds what the suite needs beside the build: servers as programs of this machine, to be killed, and a foreign client.
 * Missing is only what this machine lacks; throws when something that it could have cannot be fetched.
 */
export async function findNeeds(log: (line: string) => void): Promise<Needs> {
  const reason = (await whyNoServerPrograms()) ?? whyNoPip(process.env)
  if (reason) return { kind: 'missing', reason }
  await findServerPrograms({ log })
  return { kind: 'found', python: await findPythonClient(log) }
}
