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

/** Comments and e-mails of all users, the newest first. */
export type Activity = {
  readonly comments: readonly Comment[]
  readonly mails: readonly Mail[]
  readonly mailProblem: string | null
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
