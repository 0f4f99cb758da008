import { findServerPrograms } from '@herald/local-stack'
import { findPythonClient } from './campaign/python-client.ts'

export type Needs = { kind: 'found'; python: NodeJS.ProcessEnv } | { kind: 'missing'; reason: string }

/** What the suite needs beside the build: servers as programs of this machine, to be killed, and a foreign client. */
export async function findNeeds(log: (line: string) => void): Promise<Needs> {
  try {
    await findServerPrograms({ log })
    return { kind: 'found', python: await findPythonClient(log) }
  } catch (error) {
    return { kind: 'missing', reason: error instanceof Error ? error.message : String(error) }
  }
}
