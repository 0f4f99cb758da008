import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FindOptions, withDefaults } from './find-options.ts'
import { findFreePort } from './free-port.ts'
import { findMongod } from './mongod-file.ts'
import { type StartedProgram, startProgram } from './program.ts'

export interface MongodProgramOptions extends Partial<FindOptions> {
  replicaSet?: string
  /** Where its folder is made; the system's folder for what is temporary unless told. */
  parentFolder?: string
  /** Parameters of the server, as `name=value`. */
  parameters?: readonly string[]
}

export interface StartedMongodProgram extends StartedProgram {
  /** `host:port`. */
  address: string
}

/** Runs one mongod on this machine, to be made a replica set's member: fetched when it is not there. */
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
      ...(options.parameters ?? []).flatMap((parameter) => ['--setParameter', parameter]),
      ...['--replSet', options.replicaSet ?? 'herald', '--oplogSize', '512', '--wiredTigerCacheSizeGB', '1'],
    ],
    // The server's allocator and glibc's restartable sequences do not agree on newer kernels.
    environment: { ...environment, GLIBC_TUNABLES: 'glibc.pthread.rseq=0' },
    ready: { line: /Waiting for connections/ },
    folder,
  })
  return Object.assign(program, { address: `127.0.0.1:${port}` })
}
