const hourMs = 60 * 60 * 1_000

/** Counts what each user got in the present clock hour, in this process. */
export function createHourlyLimit(perHour: number, now: () => Date) {
  let hour = 0
  const counts = new Map<string, number>()
  return {
    hasRoom(user: string): boolean {
      const present = Math.floor(now().getTime() / hourMs)
      if (present !== hour) counts.clear()
      hour = present
      return (counts.get(user) ?? 0) < perHour
    },
    count: (user: string) => void counts.set(user, (counts.get(user) ?? 0) + 1),
  }
}
