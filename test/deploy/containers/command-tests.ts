import { randomUUID } from 'node:crypto'
import { changeEntryIdOf, notificationIdOf } from '@herald/publisher'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { composeServices } from './compose-file.ts'
import { type Composition, notificationTopic } from './composition.ts'
import { changeData, connectPublisher, events, mentionData, type Publisher } from './events.ts'
import { eventually } from './eventually.ts'

/** Tests of `docker run … herald …`. */
export function describeCommand(composition: () => Composition) {
  describe('the command herald in the image of ingest', () => {
    const subscriberId = randomUUID()
    const identity = (time = new Date()) => ({ id: randomUUID(), time, subscriberId })
    const settings = {
      KAFKA_BROKERS: 'kafka:19092',
      MONGODB_URI: 'mongodb://mongodb:27017/?replicaSet=herald',
      KAFKA_PRIVACY_TOPIC: 'privacy-events',
      KAFKA_NOTIFICATION_TOPIC: notificationTopic,
    }
    const run = (words: readonly string[], environment: Readonly<Record<string, string>> = settings) =>
      composition().run(
        composeServices().get('ingest')?.image ?? '',
        Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
        words,
      )
    const herald = (...words: string[]) => run(['herald', ...words])
    const where = (...words: string[]) => herald('where', '--subscriber', subscriberId, '--json', ...words)
    let publisher: Publisher

    /** Runs `where` until it exits with the code of the answer, and returns the answer. */
    const whereUntil = (exitCode: number, ...words: string[]) =>
      eventually(`where exits with ${exitCode}`, async () => {
        const ended = await where(...words)
        expect(ended).toMatchObject({ exitCode, stderr: '' })
        return JSON.parse(ended.stdout)
      })

    beforeAll(async () => {
      publisher = await connectPublisher(composition())
    })
    afterAll(() => publisher?.disconnect())

    test('is on the path of a user other than root, who cannot write to the root file system', async () => {
      const ended = await run(['sh', '-c', 'command -v herald; id -u; touch /herald/file'])
      expect(ended).toMatchObject({
        exitCode: 1,
        stdout: '/usr/local/bin/herald\n1000\n',
        stderr: expect.stringContaining('Read-only file system'),
      })
    })

    test.each([
      ['the running container', ['exec', '--no-TTY']],
      ['a container of its own', ['run', '--rm', '--no-deps', '--no-TTY']],
    ])('has the settings of the service in %s of docker compose', async (_, words) => {
      const status = await composition().compose(...words, 'ingest', 'herald', 'status', '--json', '--interval', '1')
      expect(JSON.parse(status)).toMatchObject({ problems: [], kafka: { ok: true }, mongodb: { ok: true } })
    })

    test('prints its help and version without settings', async () => {
      const help = await run(['herald', '--help'], {})
      expect(help).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('dead-letters replay'), stderr: '' })
      expect(await run(['herald', '--version'], {})).toMatchObject({ exitCode: 0, stdout: '0.1.0 unknown\n' })
    })

    test('exits with 2 and names the words and settings that are wrong', async () => {
      expect(await herald('status', '--jsn')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('jsn') })
      const ended = await run(['herald', 'status'], {})
      expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('KAFKA_BROKERS') })
      expect(ended.stderr).toContain('MONGODB_URI')
    })

    test('status exits with 0 if everything is well, and with 1 if MongoDB is unavailable', async () => {
      const healthy = await herald('status', '--json', '--interval', '1')
      expect(healthy).toMatchObject({ exitCode: 0, stderr: '' })
      expect(JSON.parse(healthy.stdout)).toMatchObject({ problems: [], kafka: { ok: true }, mongodb: { ok: true } })
      const plain = await herald('status', '--interval', '1')
      expect(plain.stdout).toContain('mention-events')
      expect(plain.stdout).not.toContain('\x1b')
      const without = { ...settings, MONGODB_URI: 'mongodb://mongodb:1/?serverSelectionTimeoutMS=1000' }
      const unwell = await run(['herald', 'status', '--json', '--interval', '1'], without)
      expect(unwell.exitCode).toBe(1)
      expect(JSON.parse(unwell.stdout)).toMatchObject({ kafka: { ok: true }, mongodb: { ok: false } })
    })

    test('migrate --dry-run has nothing to do', async () => {
      const ended = await herald('migrate', '--dry-run')
      expect(ended).toMatchObject({ exitCode: 0, stdout: '', stderr: 'herald: nothing to do\n' })
    })

    test('where finds an event until it is retracted or its recipient is erased, and nothing for another', async () => {
      const [recipient, leaver] = [randomUUID(), randomUUID()]
      const event = events.mentionCreated(identity(), mentionData([recipient, leaver]))
      const id = notificationIdOf(event)
      await publisher.publish(event)
      const words = ['--source', event.source, '--id', event.id, '--time', event.time]
      expect(await whereUntil(0, ...words)).toMatchObject({ answer: 'stored', id })

      const erased = await herald('erase', '--subscriber', subscriberId, '--person', leaver)
      expect(erased.exitCode).toBe(0)
      await whereUntil(6, '--notification', id, '--recipient', leaver)
      const retracted = await herald('retract', '--subscriber', subscriberId, '--notification', id)
      expect(retracted.exitCode).toBe(0)
      await whereUntil(5, '--notification', id, '--recipient', recipient)
      expect(await whereUntil(9, '--notification', id.replace(/.{4}$/, '0000'))).toMatchObject({ answer: 'never seen' })
    })

    test('dead-letters lists, shows and counts a record that where finds by its event', async () => {
      const valid = events.changeRecorded(identity(), changeData(randomUUID()))
      await publisher.publishValue('change-events', JSON.stringify({ ...valid, data: { user: 'nobody' } }))
      await whereUntil(4, '--source', valid.source, '--id', valid.id, '--time', valid.time)
      const { id } = await whereUntil(4, '--notification', changeEntryIdOf(valid))
      expect(id).toBe(changeEntryIdOf(valid))

      const list = await herald('dead-letters', 'list', '--origin', 'change-events', '--json')
      expect(list.exitCode).toBe(0)
      const letters = list.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const { origin } = letters.at(-1)
      const shown = await herald('dead-letters', 'show', origin)
      expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(valid.id) })
      const replay = await herald('dead-letters', 'replay', '--origin', origin, '--dry-run')
      expect(replay).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^1 would be sent back/m) })
    })
  })
}
