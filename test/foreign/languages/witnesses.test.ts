import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSealing, serviceFile } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'
import { afterAll, expect, test } from '@jest/globals'
import { type ForeignWitness, startForeignWitnesses } from './foreign-witnesses.ts'
import { buildGo, go } from './go.ts'
import { checkpointIn, type LiveLog, readConsistency, startLiveLog } from './live-log.ts'
import type { Case } from './sealed-log.ts'
import { ownFile } from './toolchain.ts'

const folder = mkdtempSync(join(tmpdir(), 'herald-witnesses-'))
const cleanUp: (() => unknown)[] = []
afterAll(async () => {
  for (const end of cleanUp.reverse()) await end()
  rmSync(folder, { recursive: true, force: true })
})

const why = await go.whyNot()
if (why !== undefined) console.warn(`Skipped ${go.name}: ${why}.`)
const testHere = why === undefined ? test : test.skip

/** Returns what each witness has cosigned, as operators see it. */
async function witnessesOf({ operate, subscriberId }: LiveLog) {
  // The command exits with 1 only if a log is stopped.
  const { logs } = JSON.parse(await operate('log', 'status', '--subscriber', subscriberId, '--json'))
  const found = logs[0].witnesses as { witness: string; size: number; problem?: string }[]
  return new Map(
    found.map(({ witness, ...status }) => [witness.startsWith('litewitness') ? 'lite' : 'handler', status]),
  )
}

const cosignersOf = (note: string) =>
  Array.from(note.matchAll(/^— (\S+) /gm), ([, name]) => name).filter((name) => !name?.startsWith('localhost/'))
const both = ['litewitness.example.com', 'witness.example.org/w1']

/** Collects each checkpoint that the log serves. */
function watch(log: LiveLog) {
  const notes = new Map<number, string>()
  let count = 0
  const look = async () => {
    const note = await log.text('/change-entries/checkpoint')
    const { size } = checkpointIn(note)
    notes.set(size, note)
    return size
  }
  return {
    notes,
    look,
    /** Changes entries. */
    async change(more: number): Promise<void> {
      await log.change(more)
      count += more
    },
    count: () => count,
    /** Waits while entries change. */
    until: (isDone: () => boolean | Promise<boolean>) =>
      eventually(async () => {
        await log.change(2)
        count += 2
        await look()
        return isDone()
      }),
  }
}

testHere(
  'two witnesses of others cosign a live log through kill -9 of the sealer and of each, and programs of others verify it',
  async () => {
    const witnesses = await startForeignWitnesses(folder)
    cleanUp.push(witnesses.stop)
    const { lite, handler } = witnesses
    const policyFile = join(folder, 'policy')
    const policy = [lite.policyLine, handler.policyLine, 'group both all lite handler', 'quorum both', ''].join('\n')
    writeFileSync(policyFile, policy)
    const sealing = { ...createSealing(), SEAL_INTERVAL_SECONDS: '1', LOG_WITNESS_POLICY: policyFile }
    const log = await startLiveLog(sealing)
    cleanUp.push(log.stop)
    const { seal } = log.herald

    const served = watch(log)
    await served.change(3)
    await eventually(async () => (await witnessesOf(log)).get('lite')?.problem?.startsWith('404'))
    await eventually(async () => (await witnessesOf(log)).get('handler')?.problem?.startsWith('404'))
    await expect(log.text('/change-entries/checkpoint')).rejects.toThrow('404')
    const list = await log.operate('log', 'origins')
    for (const witness of [lite, handler]) witness.addLogs(list)
    expect(cosignersOf(await log.untilSealed(3)).toSorted()).toEqual(both)

    const untilGrown = async (size: number) => served.until(async () => (await served.look()) > size)
    const killAndLack = async (victim: ForeignWitness, other: ForeignWitness) => {
      const of = async ({ name }: ForeignWitness) => (await witnessesOf(log)).get(name)
      victim.program.kill('SIGKILL')
      await victim.program.exited
      await served.until(async () => (await of(victim))?.problem !== undefined)
      const known = (await of(victim))?.size ?? 0
      await served.until(async () => ((await of(other))?.size ?? 0) > known)
      expect(await served.look()).toBe(known)
      await victim.program.restart()
      await untilGrown(known)
    }
    const killSealer = async () => {
      const size = await served.look()
      await served.change(20)
      seal.kill('SIGKILL')
      await seal.exited
      await served.change(20)
      await seal.restart()
      await untilGrown(size)
    }
    for (let round = 0; round < 3; round++) await killSealer()
    await killAndLack(lite, handler)
    await killSealer()
    await killAndLack(handler, lite)
    await eventually(async () => (await served.look()) === served.count())

    const { keys } = (await log.data('/change-entries/checkpoint/key')) as { keys: [string] }
    const notes = [...served.notes].toSorted(([a], [b]) => a - b).map(([, note]) => note)
    expect(notes.length).toBeGreaterThan(5)
    for (const note of notes) expect(cosignersOf(note).toSorted()).toEqual(both)
    const last = checkpointIn(notes.at(-1) ?? '')
    const cases: Case[] = []
    for (const note of notes) {
      const { origin, size, root } = checkpointIn(note)
      cases.push({ kind: 'checkpoint', verifierKey: keys[0], origin, note, size, root })
      if (size < last.size) cases.push(await readConsistency(log, { size, root }, last))
    }
    const verifier = await buildGo(ownFile('verifiers/go'), join(folder, 'verifier'))
    expect(runForeign(verifier, cases)).toEqual(cases.map(() => 'ok'))

    // The policy of a stranger: the key of the log, and the witnesses without their addresses.
    const theirs = `log ${keys[0]}\n${policy}`.replaceAll(/ http:\S+/g, '')
    const exported = await log.text('/change-entries/sealed')
    const [, ...lines] = exported.trim().split('\n')
    const ids = [0, 2, 3, lines.length - 1].map((at) => JSON.parse(lines[at] ?? '').entry.id as string)
    const proofs = await Promise.all(ids.map((id) => log.text(`/change-entries/${id}/proof`, 'text/plain')))
    const lacking = both.map((name) => proofs[0]?.replace(new RegExp(`^— ${name} .*\n`, 'm'), ''))
    const torchwood = await buildGo(ownFile('verifiers/torchwood'), join(folder, 'torchwood'), [1, 27])
    const verdicts = runForeign(torchwood, { policy: theirs, proofs: [...proofs, ...lacking] })
    expect(verdicts.map((line) => line.startsWith('ok '))).toEqual([true, true, true, true, false, false])

    const note = notes.at(-1) ?? ''
    expect(verifyWith({ policy: theirs, exported, note, key: keys[0] })).toEqual([0, ''])
    const lackingNote = note.replace(/^— litewitness.*\n/m, '')
    const [code, found] = verifyWith({ policy: theirs, exported, note: lackingNote, key: keys[0] })
    expect([code, found]).toEqual([5, expect.stringMatching(/^5 - .*quorum/)])
  },
  600_000,
)

/** Runs a program that reads JSON. Returns its lines. */
function runForeign(program: string, input: unknown): string[] {
  const { stdout, stderr } = spawnSync(program, { input: JSON.stringify(input), encoding: 'utf8', timeout: 60_000 })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

function verifyWith(files: { policy: string; exported: string; note: string; key: string }) {
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      ...[serviceFile('query', 'verify'), '--policy', fileOf('their-policy', files.policy), '--key', files.key],
      ...['--export', fileOf('export', files.exported), '--checkpoint', fileOf('checkpoint', files.note)],
    ],
    { encoding: 'utf8', timeout: 60_000 },
  )
  return [status, stdout]
}
