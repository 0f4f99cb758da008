import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FindOptions, withDefaults } from '../find-options.ts'
import { findFreePort } from '../processes/free-port.ts'
import { type StartedProgram, startProgram } from '../processes/program.ts'
import { findMongod } from './mongod-file.ts'

export type MongodProgramOptions = Partial<FindOptions> & {
  replicaSet?: string
  /** The parent of its data folder; the system's temporary folder by default. */
  parentFolder?: string
  /** Server parameters as `name=value`. */
  parameters?: readonly string[]
  /** The path of a key file, with which the server demands that clients are authenticated. */
  keyFile?: string
}

export type StartedMongodProgram = StartedProgram & {
  /** `host:port`. */
  address: string
}

/** Runs one mongod on this machine as a future member of a replica set. It is fetched if it is missing. */
export async function startMongodProgram(options: MongodProgramOptions = {}): Promise<StartedMongodProgram> {
  const found = withDefaults(options)
  const { environment } = found
  const command = await findMongod(found)
  const port = await findFreePort()
  const folder = await mkdtemp(join(options.parentFolder ?? tmpdir(), 'herald-mongod-'))
  const program = await startProgram({
    name: 'mongod',
    command,
    args: [
      ...['--dbpath', folder, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket', '--quiet'],
      ...(options.keyFile === undefined ? [] : ['--keyFile', options.keyFile]),
      ...(options.parameters ?? []).flatMap((parameter) => ['--setParameter', parameter]),
      ...['--replSet', options.replicaSet ?? 'herald', '--oplogSize', '512', '--wiredTigerCacheSizeGB', '1'],
    ],
    // The server's allocator conflicts with glibc's restartable sequences on newer kernels.
    environment: { ...environment, GLIBC_TUNABLES: 'glibc.pthread.rseq=0' },
    ready: { line: /Waiting for connections/ },
    folder,
  })
  return Object.assign(program, { address: `127.0.0.1:${port}` })
}
