const steps = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const

/** The time relative to now in a locale: "now", "5 min. ago", "yesterday". */
export function relativeTime(time: Date, now: Date, locale: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  // A server's clock may be ahead of this one.
  const seconds = Math.max(0, (now.getTime() - time.getTime()) / 1000)
  const step = steps.find(([, length]) => seconds >= length)
  return step ? format.format(-Math.floor(seconds / step[1]), step[0]) : format.format(0, 'second')
}

/** The full date and time. */
export function fullTime(time: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }).format(time)
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
