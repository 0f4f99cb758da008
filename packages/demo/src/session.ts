type User = { readonly id: string; readonly key: string; readonly name: string; readonly image: string }
type Entity = { readonly type: string; readonly id: string; readonly title: string; readonly locationId: string }

export type Session = {
  readonly token: string
  /** In seconds. */
  readonly expiresIn: number
  readonly as: string
  readonly users: readonly User[]
  readonly entities: readonly Entity[]
}

export type Published = {
  readonly milliseconds: number
  readonly events: readonly { topic: string; type: string; partition: number; offset: string }[]
}

export async function openSession(as: string | null): Promise<Session> {
  const response = await fetch(`session?${new URLSearchParams(as === null ? {} : { as })}`)
  if (!response.ok) throw new Error(`The session answered ${response.status}`)
  return (await response.json()) as Session
}

/** Returns the session's token, renewed a minute before it expires. */
export function createTokenSource({ as, token, expiresIn }: Session) {
  let current = { token, until: Date.now() + (expiresIn - 60) * 1000 }
  return async ({ refresh }: { refresh: boolean }): Promise<string> => {
    if (refresh || Date.now() > current.until) {
      const session = await openSession(as)
      current = { token: session.token, until: Date.now() + (session.expiresIn - 60) * 1000 }
    }
    return current.token
  }
}

export type Comment = {
  readonly id: string
  readonly text: string
  readonly createdAt: string
  readonly entityTitle: string
  readonly author: User
  readonly recipients: readonly User[]
}

export type Mail = {
  readonly to: User
  readonly subject: string
  readonly link?: string
  readonly receivedAt: string
}

/** A change entry that was altered in the database. */
export type Altered = { readonly entryId: string; readonly name: string; readonly forgedName: string }

/** The result of `verify.js`. */
export type Verified = { readonly exitCode: number; readonly findings: readonly string[]; readonly result: string }

/** Comments and e-mails of all users, the newest first. */
export type Activity = {
  readonly comments: readonly Comment[]
  readonly mails: readonly Mail[]
  readonly mailProblem: string | null
  readonly altered: Altered | null
}

export async function readActivity(): Promise<Activity> {
  const response = await fetch('activity')
  if (!response.ok) throw new Error(`The activity answered ${response.status}`)
  return (await response.json()) as Activity
}

export async function publishMention(composed: {
  as: string
  to: readonly string[]
  text: string
  entityId: string
}): Promise<Published> {
  const response = await fetch('mentions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(composed),
  })
  if (!response.ok) throw new Error(`The comment could not be published (${response.status})`)
  return (await response.json()) as Published
}

export async function deleteComment(id: string, as: string): Promise<Published> {
  const response = await fetch(`comments/${id}?${new URLSearchParams({ as })}`, { method: 'DELETE' })
  if (!response.ok) throw new Error(`The comment could not be deleted (${response.status})`)
  return (await response.json()) as Published
}

/** Whether the change log has a checkpoint. */
export async function isLogSealed(): Promise<boolean> {
  const response = await fetch('tampering')
  if (!response.ok) throw new Error(`The log could not be read (${response.status})`)
  return ((await response.json()) as { isSealed: boolean }).isSealed
}

/** Alters a change entry in the database, or puts it back, and verifies the log. */
export async function tamper(method: 'POST' | 'DELETE'): Promise<Verified> {
  const response = await fetch('tampering', { method })
  const body = (await response.json()) as { verified: Verified; detail?: string }
  if (!response.ok) throw new Error(body.detail ?? `The entry could not be changed (${response.status})`)
  return body.verified
}
