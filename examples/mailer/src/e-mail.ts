import { createHash } from 'node:crypto'
import type { Announcement } from '@herald/publisher'

export type Unread = Extract<Announcement, { type: 'herald.notification.unread.v1' }>

export type Addresses = {
  readonly from: string
  readonly to: string
  /** The URL of the location. */
  readonly link?: string | undefined
}

/** The e-mail about unread notifications. A repeated event makes the same one. */
export function toEmail({ source, id, data }: Unread, { from, to, link }: Addresses) {
  const { latest, total } = data
  const { mentionerName, snippet } = latest.metadata.mention
  const others = total > 1 ? `\n\nAnd ${total - 1} more.` : ''
  const address = link === undefined ? '' : `\n\n${link}`
  const hash = createHash('sha256').update(`${source}\n${id}`).digest('hex')
  return {
    from,
    to,
    subject: `${mentionerName} mentioned you`,
    text: `${mentionerName} wrote:\n\n${snippet}${others}${address}\n`,
    // Lets mail servers recognize a second delivery.
    messageId: `<${hash}@${from.split('@').at(-1)}>`,
  }
}
