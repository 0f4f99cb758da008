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
const dayFormat = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
const fullFormat = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }))
const dateFormat = perLocale((locale) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }))
const dateOfYearFormat = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))

/** Days of the calendar between two times in the reader's time zone, some of which have 23 or 25 hours. */
const calendarDays = (time: Date, now: Date) => Math.round((startOfDay(now) - startOfDay(time)) / (24 * 3600 * 1000))

const isOfYear = (time: Date, now: Date) => time.getFullYear() === now.getFullYear()

/** The time as a reader says it: "now", "5 min. ago", "3 hr. ago", "yesterday", "6 days ago", then the date. */
export function relativeTime(time: Date, now: Date, locale: string): string {
  // A server's clock may be ahead of this one.
  const minutes = Math.floor(Math.max(0, now.getTime() - time.getTime()) / 60_000)
  const days = minutes === 0 ? 0 : calendarDays(time, now)
  const format = ageFormat(locale)
  if (minutes === 0) return format.format(0, 'second')
  if (minutes < 60) return format.format(-minutes, 'minute')
  if (days === 0) return format.format(-Math.floor(minutes / 60), 'hour')
  if (days < 7) return format.format(-days, 'day')
  return (isOfYear(time, now) ? dateFormat : dateOfYearFormat)(locale).format(time)
}

/** The full date and time. */
export function fullTime(time: Date, locale: string): string {
  return fullFormat(locale).format(time)
}

/** "Today", "yesterday", or the date. */
export function dayName(time: Date, now: Date, locale: string): string {
  const days = calendarDays(time, now)
  if (days === 0 || days === 1) {
    const name = dayFormat(locale).format(-days, 'day')
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  }
  const year = isOfYear(time, now) ? {} : ({ year: 'numeric' } as const)
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', ...year }).format(time)
}

export function timeOfDay(time: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(time)
}

function startOfDay(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
