import { execFile, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { findFreePort, mustHave, type StartedProgram, startProgram } from '@herald/test-servers'

/** A database of one test file, and a client that runs SQL in it. */
export type StartedDatabase = {
  readonly port: number
  readonly program: StartedProgram
  /** Runs statements; returns the output without headers, with tabs between columns. */
  sql(statements: string): Promise<string>
  stop(): Promise<void>
}

const databaseName = 'shop'

/** The version that a program prints; empty if it is not on the PATH. */
const versionOf = (command: string) => spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout ?? ''
const isOnPath = (command: string) => versionOf(command) !== ''

/** Debian keeps the programs of PostgreSQL off the PATH. */
function postgresFolder(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin/postgres')
    .sort()
    .at(-1)
    ?.replace(/\/postgres$/, '')
}

/** Returns why PostgreSQL cannot be used here, or undefined. Throws if it must be there. */
export const whyNoPostgres = () => orFail('postgresql', postgresFolder() ? undefined : 'PostgreSQL is not installed')
export const whyNoMariaDb = () =>
  orFail('mariadb-server', isOnPath('mariadbd') ? undefined : 'MariaDB is not installed')

/** A package of MariaDB installs `mysqld` as another name of its server. */
export function whyNoMySql(): string | undefined {
  const version = versionOf('mysqld')
  return orFail('mysql-server', version && !/mariadb/i.test(version) ? undefined : 'MySQL is not installed')
}

function orFail(debianPackage: string, reason: string | undefined): string | undefined {
  if (reason !== undefined && mustHave(debianPackage)) throw new Error(`HERALD_MUST_HAVE: ${reason}`)
  return reason
}

/** PostgreSQL refuses to run as root. */
const unprivilegedUser = 65_534
const asUnprivileged = (command: string, args: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['setpriv', [`--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, '--clear-groups', command, ...args]]
    : [command, [...args]]

/** Runs a PostgreSQL with logical replication on a free port. */
export async function startPostgres(): Promise<StartedDatabase> {
  const bin = postgresFolder() as string
  const port = await findFreePort()
  const folder = await mkdtemp(join(tmpdir(), 'herald-postgres-'))
  const data = join(folder, 'data')
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'wal_level=logical', 'fsync=off']
  const [command, args] = asUnprivileged(join(bin, 'postgres'), [
    ...['-D', data, '-p', String(port)],
    ...[...settings, 'max_replication_slots=20', 'max_wal_senders=20'].flatMap((setting) => ['-c', setting]),
  ])
  const psql = (database: string, statements: string) =>
    runWithInput(
      join(bin, 'psql'),
      [
        '-XqAt',
        '-F',
        '\t',
        '-v',
        'ON_ERROR_STOP=1',
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        'postgres',
        '-d',
        database,
      ],
      statements,
    )
  const program = await startProgram({
    name: 'PostgreSQL',
    command,
    args,
    environment: process.env,
    folder,
    async prepare() {
      if (process.getuid?.() === 0) await chown(folder, unprivilegedUser, unprivilegedUser)
      const initdb = ['-D', data, '-A', 'trust', '-U', 'postgres', '--locale=C', '-E', 'UTF8', '--no-sync']
      await runWithInput(...asUnprivileged(join(bin, 'initdb'), initdb), '')
    },
    ready: { line: /database system is ready to accept connections/ },
  })
  await psql('postgres', `create database ${databaseName}`)
  return { port, program, sql: (statements) => psql(databaseName, statements), stop: program.stop }
}

type BinlogServer = {
  readonly name: string
  readonly server: string
  readonly client: string
  /** The arguments of the server on a folder of data. */
  readonly args: readonly string[]
  /** Creates the data. */
  readonly install: (shared: readonly string[]) => [command: string, args: string[]]
}

/** Runs a MariaDB with a row-based binary log on a free port. */
export const startMariaDb = () =>
  startBinlogServer({
    name: 'MariaDB',
    server: 'mariadbd',
    client: 'mariadb',
    args: [],
    install: (shared) => [
      'mariadb-install-db',
      [...shared, '--auth-root-authentication-method=normal', '--skip-test-db'],
    ],
  })

/** Runs a MySQL with a row-based binary log on a free port. */
export const startMySql = () =>
  startBinlogServer({
    name: 'MySQL',
    server: 'mysqld',
    client: 'mysql',
    args: ['--mysqlx=OFF', '--secure-file-priv=NULL'],
    install: (shared) => ['mysqld', [...shared, '--initialize-insecure']],
  })

async function startBinlogServer({ name, server, client, args, install }: BinlogServer): Promise<StartedDatabase> {
  const port = await findFreePort()
  const folder = await mkdtemp(join(tmpdir(), 'herald-binlog-'))
  const socket = join(folder, 'socket')
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  const shared = ['--no-defaults', ...user, `--datadir=${join(folder, 'data')}`]
  const run = (statements: string, ...database: string[]) =>
    runWithInput(
      client,
      ['--no-defaults', '-uroot', `--socket=${socket}`, '-N', '-B', '--default-character-set=utf8mb4', ...database],
      statements,
    )
  const program = await startProgram({
    name,
    command: server,
    environment: process.env,
    folder,
    args: [
      ...[...shared, `--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1', '--skip-name-resolve'],
      ...['--server-id=1', '--log-bin=bin', '--binlog-format=ROW', '--binlog-row-image=FULL', '--sync-binlog=0'],
      ...['--innodb-buffer-pool-size=64M', '--innodb-flush-log-at-trx-commit=0', ...args],
    ],
    async prepare() {
      await runWithInput(...install(shared), '')
    },
    ready: { line: /ready for connections/ },
  })
  await run(`create user 'cdc'@'127.0.0.1' identified by 'cdc'; grant all on *.* to 'cdc'@'127.0.0.1';
    create database ${databaseName} character set utf8mb4`)
  return { port, program, sql: (statements) => run(statements, databaseName), stop: program.stop }
}

function runWithInput(command: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} failed: ${stderr || error.message}`))
      else resolve(stdout)
    })
    child.stdin?.end(input)
  })
}
