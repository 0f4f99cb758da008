import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@herald/test-servers'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createTransport } from 'nodemailer'
import { createMailbox } from './mailbox.ts'
import { type StartedMail, startMail } from './start-mail.ts'

let folder: string
const demoUrl = 'http://127.0.0.1:8080/demo/'
const log: string[] = []
const mailbox = createMailbox(2)
let mail: StartedMail | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-mail-test-'))
})
afterEach(async () => {
  await mail?.stop()
  await rm(folder, { recursive: true, force: true })
  log.length = 0
})

/** Starts the mail with a mailer that runs this code. */
async function start(code: string): Promise<StartedMail> {
  const file = join(folder, 'mailer.mjs')
  await writeFile(file, code)
  mail = await startMail({
    mailbox,
    demoUrl,
    file,
    kafkaBrokers: [],
    topics: { receipt: '' },
    notificationTopic: '',
    groupId: '',
    isUser: (userId) => userId === 'mei',
    log: (line) => log.push(line),
  })
  return mail
}

const idle = "console.log('The mailer is ready.'); setInterval(() => {}, 1_000)"

/** Sends a mail, and returns the code with which the server rejected it. */
async function send(smtpAddress: string, to: string, mail: { subject: string; text: string }) {
  const transport = createTransport(`smtp://${smtpAddress}`)
  const envelope = { from: 'herald@harbour.example', to: `${to}@harbour.example` }
  return transport.sendMail({ ...envelope, ...mail }).then(
    () => undefined,
    (error) => error.responseCode ?? error.code,
  )
}

test('keeps the newest mails, with decoded subject and the link to the location', async () => {
  const { smtpAddress, problem } = await start(idle)
  const link = `${demoUrl}?as=mei#comment/1`
  await send(smtpAddress, 'mei', { subject: 'First', text: 'No link' })
  await send(smtpAddress, 'mei', { subject: 'Zofia Wójcik', text: `https://elsewhere.example/\nø\n${link}\n` })
  await send(smtpAddress, 'mei', { subject: 'Third', text: 'https://elsewhere.example/' })
  expect(mailbox.list()).toEqual([
    { userId: 'mei', subject: 'Third', link: undefined, receivedAt: expect.any(String) },
    { userId: 'mei', subject: 'Zofia Wójcik', link, receivedAt: expect.any(String) },
  ])
  expect([problem(), log]).toEqual([undefined, []])
})

test('rejects unknown recipients and mails that are too large', async () => {
  const { smtpAddress } = await start(idle)
  const before = mailbox.list()
  expect(await send(smtpAddress, 'jonas', { subject: '', text: '' })).toBe(550)
  expect(await send(smtpAddress, 'mei', { subject: '', text: 'x'.repeat(300_000) })).toBe(552)
  expect(mailbox.list()).toEqual(before)
})

test('reports a mailer that does not start, and goes on', async () => {
  const { smtpAddress, problem } = await start("throw new Error('KAFKA_BROKERS is not set')")
  expect(problem()).toBe('The mailer did not start')
  expect(log).toEqual([expect.stringMatching(/^The mailer did not start; Herald runs without e-mails\.\n/)])
  expect(log[0]).toContain('KAFKA_BROKERS is not set')
  expect(await send(smtpAddress, 'mei', { subject: '', text: '' })).toBeUndefined()
})

test('reports a mailer that exits later, but not one that is stopped', async () => {
  const { problem, stop } = await start(
    "console.log('The mailer is ready.'); console.error('No more'); process.exitCode = 3",
  )
  await eventually(() => problem() !== undefined, { description: 'the exit is noticed' })
  expect(log.join()).toContain(
    'The mailer exited (exit code 3); Herald runs without e-mails.\nThe mailer is ready.\nNo more',
  )
  await stop()
  const other = await start(idle)
  await other.stop()
  expect(other.problem()).toBeUndefined()
})

test('leaves no SMTP server behind', async () => {
  const { smtpAddress, stop } = await start(idle)
  await stop()
  expect(await send(smtpAddress, 'mei', { subject: '', text: '' })).toBe('ESOCKET')
})
