import { html, nothing, type TemplateResult } from 'lit'
import type { Mail } from './session.ts'
import { timeOf } from './time.ts'

export type MailboxView = {
  readonly mails: readonly Mail[]
  readonly problem: string | null
  /** When an e-mail to the user who is signed in was sent, according to their feed. */
  readonly emailSentAt: (mail: Mail) => string | undefined
}

/** The e-mails that the mailer has sent to any of the users. */
export function mailboxView({ mails, problem, emailSentAt }: MailboxView): TemplateResult {
  return html`<section class="card" id="mailbox" aria-labelledby="mailbox-title">
    <h2 id="mailbox-title">Mailbox</h2>
    ${
      problem === null
        ? html`<p>A user who has not read a mention for a minute gets an e-mail.</p>`
        : html`<p class="problem" role="alert">${problem}, so no e-mails are sent.</p>`
    }
    ${
      mails.length === 0
        ? nothing
        : html`<ul class="rows" tabindex="0" aria-labelledby="mailbox-title">
      ${mails.map((mail) => mailView(mail, emailSentAt))}
    </ul>`
    }
  </section>`
}

function mailView(mail: Mail, emailSentAt: MailboxView['emailSentAt']) {
  const { to, subject, link, receivedAt } = mail
  const sentAt = emailSentAt(mail)
  return html`<li>
    <img class="face" src=${to.image} alt="" />
    <div>
      <b>${to.name}</b> ${timeOf(receivedAt)}
      <p>${subject}</p>
      ${link === undefined ? nothing : html`<a href=${link} target="_blank">Open the location</a>`}
      ${sentAt === undefined ? nothing : html`<small>In the feed: e-mail sent at ${timeOf(sentAt)}</small>`}
    </div>
  </li>`
}
