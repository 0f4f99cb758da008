import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { SMTPServer } from 'smtp-server'
import type { Mailbox } from './mailbox.ts'
import { readMail } from './read-mail.ts'

export type MailServerOptions = {
  readonly mailbox: Pick<Mailbox, 'add'>
  /** Whether there is a mailbox for the local part of an address. */
  readonly isUser: (userId: string) => boolean
  /** The beginning of a link that the mailbox shows. */
  readonly linkPrefix: string
}

export type StartedMailServer = {
  /** Host and port. */
  readonly address: string
  stop(): Promise<void>
}

const host = '127.0.0.1'
const maxBytes = 256 * 1024

/** Starts an SMTP server on a free port of the loopback address, which puts the mails of users into the mailbox. */
export async function startMailServer({ mailbox, isUser, linkPrefix }: MailServerOptions): Promise<StartedMailServer> {
  async function keep(stream: Readable, userIds: readonly string[]) {
    const content = await receive(stream)
    if (content === undefined) throw refusal(552, 'Too large')
    const mail = await readMail(content, linkPrefix)
    const receivedAt = new Date().toISOString()
    for (const userId of userIds) mailbox.add({ userId, ...mail, receivedAt })
  }

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    maxClients: 10,
    closeTimeout: 1_000,
    onRcptTo: ({ address }, _, done) => done(isUser(localPart(address)) ? null : refusal(550, 'No such mailbox')),
    onData(stream, { envelope }, done) {
      const userIds = envelope.rcptTo.map(({ address }) => localPart(address))
      keep(stream, userIds).then(() => done(), done)
    },
  })
  // Errors of single connections do not end the server.
  smtp.on('error', () => {})
  smtp.listen(0, host)
  await once(smtp.server, 'listening')
  const { port } = smtp.server.address() as AddressInfo
  return { address: `${host}:${port}`, stop: () => new Promise((resolve) => smtp.close(() => resolve())) }
}

/** Reads to the end, as SMTP requires; returns undefined if it is too large. */
async function receive(stream: Readable): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  return bytes <= maxBytes ? Buffer.concat(chunks) : undefined
}

const localPart = (address: string) => address.slice(0, address.lastIndexOf('@'))

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })
