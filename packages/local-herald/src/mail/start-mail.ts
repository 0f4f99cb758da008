import { fileURLToPath } from 'node:url'
import { createReleasers } from '@herald/runtime'
import { type HeraldTopics, type StartedProgram, startProgram } from '@herald/test-servers'
import { failureLogger, stopLimitMs } from '../failure-logger.ts'
import { startMailServer } from './mail-server.ts'
import type { Mailbox } from './mailbox.ts'

/** The build output of the example. Not a dependency: that would be a cycle, since its tests use this package. */
const mailerFile = fileURLToPath(new URL('../../../../examples/mailer/dist/main.js', import.meta.url))

export type MailOptions = {
  readonly mailbox: Pick<Mailbox, 'add'>
  readonly kafkaBrokers: readonly string[]
  readonly topics: Pick<HeraldTopics, 'receipt'>
  readonly notificationTopic: string
  readonly groupId: string
  readonly demoUrl: string
  readonly isUser: (userId: string) => boolean
  readonly log: (line: string) => void
  /** The program of the mailer. */
  readonly file?: string
}

export type StartedMail = {
  /** Host and port of the SMTP server. */
  readonly smtpAddress: string
  /** Why no e-mails are sent. */
  readonly problem: () => string | undefined
  stop(): Promise<void>
}

/**
 * Starts an SMTP server for the mailbox, and the example mailer. If the mailer does not start, or exits, the rest goes on; the
 * reason is logged and becomes the `problem`.
 */
export async function startMail(options: MailOptions): Promise<StartedMail> {
  const { mailbox, demoUrl, isUser, log } = options
  const releasers = createReleasers(failureLogger)
  const server = await startMailServer({ mailbox, isUser, linkPrefix: demoUrl })
  releasers.add('SMTP server', server.stop)
  let problem: string | undefined
  let isStopping = false
  const report = (reason: string, lines = '') => {
    problem = reason
    log(`${reason}; Herald runs without e-mails.${lines && `\n${lines}`}`)
  }

  try {
    const mailer = await startMailer(options, server.address)
    releasers.add('mailer', mailer.stop, { limitMs: stopLimitMs })
    void mailer.exited.then(({ code, signal }) => {
      if (!isStopping) report(`The mailer exited (${signal ?? `exit code ${code}`})`, lastLines(mailer))
    })
  } catch (error) {
    report('The mailer did not start', (error as Error).message)
  }
  return {
    smtpAddress: server.address,
    problem: () => problem,
    stop() {
      isStopping = true
      return releasers.releaseAll()
    },
  }
}

function startMailer(options: MailOptions, smtpAddress: string): Promise<StartedProgram> {
  const { kafkaBrokers, topics, notificationTopic, groupId, demoUrl, file = mailerFile } = options
  return startProgram({
    name: 'The mailer',
    command: process.execPath,
    args: [file],
    environment: {
      ...process.env,
      KAFKA_BROKERS: kafkaBrokers.join(','),
      KAFKA_GROUP_ID: groupId,
      KAFKA_NOTIFICATION_TOPIC: notificationTopic,
      KAFKA_RECEIPT_TOPIC: topics.receipt,
      SMTP_URL: `smtp://${smtpAddress}`,
      MAIL_DOMAIN: 'harbour.example',
      MAIL_LINK: `${demoUrl}?as={recipientId}#{locationType}/{locationId}`,
    },
    ready: { line: /^The mailer is ready\.$/ },
    stopSignal: 'SIGTERM',
  })
}

const lastLines = ({ logs }: StartedProgram) => logs().slice(-10).join('\n')
