import {
  type AnyMessage,
  createEvents,
  createPublisher,
  createRepeatedAnnouncements,
  InvalidEvent,
  type PublisherOptions,
  readAnnouncement,
} from '@herald/publisher'
import type { Transporter } from 'nodemailer'
import { toEmail, type Unread } from './e-mail.ts'
import { createHourlyLimit } from './hourly-limit.ts'

export type MailerOptions = {
  readonly producer: PublisherOptions['producer']
  readonly topics?: PublisherOptions['topics']
  readonly transport: Pick<Transporter, 'sendMail'>
  readonly from: string
  /** The address of a user; `undefined` if there is none. */
  readonly addressOf: (user: { readonly subscriberId: string; readonly userId: string }) => Promise<string | undefined>
  /** The URL of a location, for the e-mail. */
  readonly linkOf?: (data: Unread['data']) => string | undefined
  /** E-mails to a user in an hour; beyond it none is sent, whatever Herald announces. */
  readonly perHour?: number
  readonly now?: () => Date
  readonly log: (line: string) => void
}

/**
 * Handles a record of the topic of announcements: sends an e-mail about unread notifications, then publishes that it was
 * sent. If it throws, the record must be handled again; after a crash in between, the e-mail is sent twice.
 */
export type Mailer = (message: Pick<AnyMessage, 'value'>) => Promise<void>

export function createMailer(options: MailerOptions): Mailer {
  const { producer, topics, transport, from, addressOf, linkOf, perHour = 10, now = () => new Date(), log } = options
  const limit = createHourlyLimit(perHour, now)
  const repeated = createRepeatedAnnouncements()
  /** When e-mails were sent whose receipt could not be published yet. */
  const unconfirmed = new Map<string, Date>()
  const events = createEvents({ source: '/mailer' })
  const { publish } = createPublisher({ producer, ...(topics === undefined ? {} : { topics }) })

  /** Herald shows the time as `emailSentAt`. Of several, the earliest is kept. */
  const confirm = async ({ id, subscriberid: subscriberId, data }: Unread, time: Date): Promise<void> => {
    const { recipientId, notificationIds } = data
    await publish(
      ...notificationIds.map((notificationId) =>
        events.emailSent({ id: `${id}/${notificationId}`, time, subscriberId }, { notificationId, recipientId }),
      ),
    )
  }

  /** @returns the time of sending; `undefined` if the user has no address, or one that is rejected for good, or got too many */
  const send = async (event: Unread): Promise<Date | undefined> => {
    const { subscriberid: subscriberId, data } = event
    const to = await addressOf({ subscriberId, userId: data.recipientId })
    if (to === undefined) {
      log(`No address for ${data.recipientId}`)
      return undefined
    }
    const user = `${subscriberId}/${data.recipientId}`
    if (!limit.hasRoom(user)) {
      log(`${perHour} e-mails to ${data.recipientId} in this hour: not sent`)
      return undefined
    }
    try {
      await transport.sendMail(toEmail(event, { from, to, link: linkOf?.(data) }))
    } catch (error) {
      if (!isPermanent(error)) throw error
      log(`Rejected for ${data.recipientId}: ${error}`)
      return undefined
    }
    limit.count(user)
    return now()
  }

  return async (message) => {
    const event = readOrSkip(message, log)
    if (event?.type !== 'herald.notification.unread.v1' || repeated.has(event)) return
    const key = `${event.source} ${event.id}`
    const sent = unconfirmed.get(key) ?? (await send(event))
    if (sent !== undefined) {
      unconfirmed.set(key, sent)
      await confirm(event, sent)
      unconfirmed.delete(key)
    }
    repeated.add(event)
  }
}

function readOrSkip(message: Pick<AnyMessage, 'value'>, log: MailerOptions['log']) {
  try {
    return readAnnouncement(message)
  } catch (error) {
    if (!(error instanceof InvalidEvent)) throw error
    log(`Skipped: ${error.message}`)
    return undefined
  }
}

/**
 * RFC 5321: a reply of 5yz means that sending the same again fails again. Only a reply to the recipient or to the message
 * concerns this e-mail: one to the login or to the sender, or 530 (authentication required), concerns all of them.
 */
function isPermanent(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string }
  const isAboutEmail = command === 'RCPT TO' || command === 'DATA'
  return isAboutEmail && responseCode !== undefined && responseCode >= 500 && responseCode !== 530
}
