import { z } from 'zod'

// Environment variables are text. Each type is strict: a value that is misread does harm later, one that is rejected is
// noticed at the start.

export function textSetting() {
  return z.string().min(1)
}

export function integerSetting({ min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {}) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `Must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
}

/** A TCP port; 0 selects a free one. */
export function portSetting() {
  return integerSetting({ max: 65_535 })
}

/** `true`, `false`, `1` or `0`. */
export function booleanSetting() {
  return z
    .enum(['true', 'false', '1', '0'], { error: 'Must be true, false, 1 or 0' })
    .transform((text) => text === 'true' || text === '1')
}

/** Comma-separated items, optionally surrounded by spaces; none may be empty. */
export function listSetting(item: z.ZodType<string, string> = z.string()) {
  return z
    .string()
    .refine((text) => !split(text).includes(''), { error: 'Must not contain an empty item' })
    .transform(split)
    .pipe(z.array(item))
}

function split(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}

/** An absolute URL without user and password. */
export function urlSetting() {
  return z
    .string()
    .refine(isUrl, { error: 'Must be a URL that starts with http:// or https://, without user and password' })
}

/** An origin as browsers and web views send it: `https://app.example` or `capacitor://localhost`, without a path. */
export function originSetting() {
  return z.string().refine(isOrigin, {
    error: 'Must be an origin such as https://app.example or capacitor://localhost, without a path',
  })
}

/** A page of one of these has no such origin: browsers send `null`, or open none. */
const withoutOrigin = /^(file|data|blob|about|javascript|ftp|wss?):/

function isOrigin(text: string): boolean {
  // An asterisk is part of a name here, and no page has that name.
  if (isUrl(text)) return new URL(text).origin === text && !text.includes('*')
  return /^(?!https?:)[a-z][a-z\d+.-]*:\/\/[a-z\d._-]+(:\d{1,5})?$/.test(text) && !withoutOrigin.test(text)
}

function isUrl(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  return url.hostname !== '' && url.username === '' && url.password === '' && !/\s/.test(text)
}
