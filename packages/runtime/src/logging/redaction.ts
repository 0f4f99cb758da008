import { cut, loggedError } from './logged-error.ts'

const maxLevels = 8
const maxItems = 100
const mask = '[redacted]'

// Compared in lower case without `-` and `_`: `set-cookie`, `setCookie` and `SET_COOKIE` are the same key.
const secretKeys = new Set([
  ...['authorization', 'proxyauthorization', 'cookie', 'cookies', 'setcookie', 'rawheaders', 'rawpacket'],
  ...['token', 'accesstoken', 'refreshtoken', 'idtoken', 'jwt', 'password', 'passphrase', 'secret', 'clientsecret'],
  ...['apikey', 'privatekey', 'credentials', 'saslpassword', 'mongodburi', 'kafkasaslpassword'],
  ...['snippet', 'email', 'useremail', 'metadata', 'beforestate', 'afterstate', 'body', 'payload'],
])

/** Copies a value without secrets and user content; objects of classes are replaced by their names. Never throws. */
export function redact(value: unknown, levels: number = maxLevels): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return value
  try {
    return redactObject(value, levels)
  } catch {
    return '[unreadable]'
  }
}

function redactObject(value: object, levels: number): unknown {
  if (value instanceof Error) return loggedError(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString()
  if (levels === 0) return '[deep]'
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => redact(item, levels - 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return `[${value.constructor?.name ?? 'object'}]`
  return Object.fromEntries(
    Object.keys(value).map((key) => [key, isSecret(key) ? mask : redact(Reflect.get(value, key), levels - 1)]),
  )
}

/** Nearly all lines have the same keys. */
const judged = new Map<string, boolean>()
const mostJudged = 1_000

function isSecret(key: string): boolean {
  const known = judged.get(key)
  if (known !== undefined) return known
  const found = secretKeys.has(key.toLowerCase().replaceAll(/[-_]/g, ''))
  if (judged.size < mostJudged && key.length <= 100) judged.set(key, found)
  return found
}

/** Masks tokens and credentials of URLs anywhere in a finished line, including messages. */
export function maskSecrets(line: string): string {
  // Looking for a fixed text first takes a tenth of the time, and few lines have one.
  let masked = line.includes('eyJ') ? line.replaceAll(/\beyJ[\w-]*\.[\w-]+(\.[\w-]*)*/g, mask) : line
  if (/bearer/i.test(masked)) masked = masked.replaceAll(/\b(bearer\s+)[\w.~+/=-]{8,}/gi, `$1${mask}`)
  if (!masked.includes('://')) return masked
  return masked.replaceAll(/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/"@]+@/gi, `$1${mask}@`)
}
