import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findFreePort, type StartedProgram, startProgram } from '@herald/test-servers'
import { buildGoPrograms } from './go.ts'
import { ownFile } from './toolchain.ts'

export type ForeignWitness = {
  readonly name: string
  readonly program: StartedProgram
  /** Its line of a policy (C2SP tlog-policy). */
  readonly policyLine: string
  /** Adds the logs of a list in the form `logs/v0`. */
  readonly addLogs: (list: string) => void
}

/** Two witnesses of others, each with a key and a database of its own, that know no log yet. */
export async function startForeignWitnesses(folder: string) {
  const programs = await buildGoPrograms(
    ownFile('witnesses'),
    join(folder, 'build'),
    [1, 27],
    ['.', 'filippo.io/torchwood/cmd/litewitness'],
  )
  const own = join(programs, 'herald-witnesses')
  const started: StartedProgram[] = []
  const start = async (name: string, file: string, args: readonly string[], line: RegExp) => {
    const program = await startProgram({ name, command: file, args, environment: process.env, ready: { line } })
    started.push(program)
    return program
  }
  async function stop() {
    for (const program of started.reverse()) await program.stop()
  }

  async function startLitewitness(): Promise<ForeignWitness> {
    const socket = join(folder, 'agent')
    const fingerprint = /^SHA256:\S+$/
    const agent = await start('agent', own, ['agent', socket], fingerprint)
    const key = agent.logs().find((line) => fingerprint.test(line)) ?? ''
    const database = join(folder, 'litewitness.db')
    const port = await findFreePort()
    const names = ['-name', 'litewitness.example.com', '-key', key, '-ssh-agent', socket]
    const where = ['-db', database, '-listen', `127.0.0.1:${port}`]
    const file = join(programs, 'litewitness')
    const program = await start('litewitness', file, [...names, ...where], /msg=listening/)
    const verifierKey = /vkey=(\S+)/.exec(program.logs().join('\n'))?.[1]
    return {
      name: 'lite',
      program,
      policyLine: `witness lite ${verifierKey} http://127.0.0.1:${port}`,
      addLogs: (list) => addToLitewitness(database, list),
    }
  }

  async function startHandler(): Promise<ForeignWitness> {
    const home = join(folder, 'handler')
    mkdirSync(home)
    const port = await findFreePort()
    const name = 'witness.example.org/w1'
    const program = await start('handler', own, ['witness', name, `127.0.0.1:${port}`, home], /^witness\.example/)
    const verifierKey = program.logs().find((line) => line.startsWith(name))
    return {
      name: 'handler',
      program,
      policyLine: `witness handler ${verifierKey} http://127.0.0.1:${port}`,
      addLogs: (list) => writeFileSync(join(home, 'logs'), list),
    }
  }

  try {
    return { lite: await startLitewitness(), handler: await startHandler(), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** As `witnessctl pull-logs` does, which needs a module that some proxies do not pass on. */
function addToLitewitness(file: string, list: string): void {
  const database = new DatabaseSync(file)
  for (const [, key = ''] of list.matchAll(/^vkey (.+)$/gm)) {
    const [origin = ''] = key.split('+')
    database
      .prepare('INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)')
      .run(origin, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
    database.prepare('INSERT INTO key (origin, key) VALUES (?, ?)').run(origin, key)
  }
  database.close()
}
