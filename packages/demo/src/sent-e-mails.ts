import { createHeraldClient, type HeraldClientOptions } from '@herald/client'
import type { Mail } from './session.ts'

/** Looks up in the feed of the user who is signed in when e-mails to them were sent. */
export function createSentEmails(options: HeraldClientOptions, as: string) {
  const { notifications } = createHeraldClient(options)
  /** By location, as in the fragment of a link. */
  const sent = new Map<string, string>()
  const of = ({ to, link }: Mail) =>
    to.key === as && link !== undefined ? sent.get(decodeURIComponent(new URL(link).hash.slice(1))) : undefined

  /** Reads the feed if an e-mail to the user is not known to be sent yet. */
  async function refresh(mails: readonly Mail[]): Promise<void> {
    if (mails.every((mail) => mail.to.key !== as || mail.link === undefined || of(mail) !== undefined)) return
    const page = await notifications.list({ limit: 100 })
    for (const { locationType, locationId, emailSentAt } of page.notifications)
      if (emailSentAt !== null) sent.set(`${locationType}/${locationId}`, emailSentAt)
  }

  return { refresh, of }
}
