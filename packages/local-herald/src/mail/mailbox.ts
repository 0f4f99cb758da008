export type Mail = {
  /** The id of the recipient, which is the local part of the address. */
  readonly userId: string
  readonly subject: string
  /** The URL of the location. */
  readonly link: string | undefined
  readonly receivedAt: string
}

export type Mailbox = {
  add(mail: Mail): void
  /** The newest first. */
  list(): readonly Mail[]
}

/** Keeps the newest mails in memory. */
export function createMailbox(capacity = 50): Mailbox {
  let mails: readonly Mail[] = []
  return {
    add(mail) {
      mails = [mail, ...mails].slice(0, capacity)
    },
    list: () => mails,
  }
}
