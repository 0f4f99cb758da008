const steps = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A formatter takes 200 µs to create, so each locale has one: a long list is scrolled through at hundreds of items a second. */
function perLocale<T>(create: (locale: string) => T): (locale: string) => T {
  const created = new Map<string, T>()
  return (locale) => {
    const format = created.get(locale) ?? create(locale)
    created.set(locale, format)
    return format
  }
}

const ageFormat = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }))
const fullFormat = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }))

/** The time relative to now in a locale: "now", "5 min. ago", "yesterday". */
export function relativeTime(time: Date, now: Date, locale: string): string {
  const format = ageFormat(locale)
  // A server's clock may be ahead of this one.
  const seconds = Math.max(0, (now.getTime() - time.getTime()) / 1000)
  const step = steps.find(([, length]) => seconds >= length)
  return step ? format.format(-Math.floor(seconds / step[1]), step[0]) : format.format(0, 'second')
}

/** The full date and time. */
export function fullTime(time: Date, locale: string): string {
  return fullFormat(locale).format(time)
}

/** "Today", "yesterday", or the date. */
export function dayName(time: Date, now: Date, locale: string): string {
  const days = Math.round((startOfDay(now) - startOfDay(time)) / (24 * 3600 * 1000))
  if (days === 0 || days === 1) {
    const name = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-days, 'day')
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  }
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', ...year }).format(time)
}

export function timeOfDay(time: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(time)
}

function startOfDay(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
