import type { Unread } from './e-mail.ts'

type Filled = Pick<Unread['data'], 'recipientId' | 'locationType' | 'locationId'>

/** Replaces `{recipientId}`, `{locationType}` and `{locationId}` in the URL of a location; `undefined` without a location. */
export function fillLink(template: string, data: Filled): string | undefined {
  if (data.locationId === null) return undefined
  return template.replaceAll(/\{(recipientId|locationType|locationId)\}/g, (_, name: keyof Filled) =>
    encodeURIComponent(data[name] ?? ''),
  )
}
