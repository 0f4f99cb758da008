import { Gauge, type Registry } from 'prom-client'

/** Shows gauges of one read of MongoDB, repeated when it is older than `countedMs`; nothing while MongoDB is unavailable. */
export function createShownCount<Count>(registry: Registry, read: () => Promise<Count>, countedMs: number) {
  let looked: { readonly at: number; readonly count: Promise<Count> } | undefined
  const look = (): Promise<Count> => {
    const at = performance.now()
    if (looked === undefined || at - looked.at >= countedMs) looked = { at, count: read() }
    return looked.count
  }
  return (name: string, help: string, of: (count: Count) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const count = await look().catch(() => undefined)
        if (count === undefined) this.remove()
        else this.set(of(count))
      },
    })
}

/** Seconds since the oldest of what waits. */
export const secondsSince = (oldest: Date | undefined, now: Date) =>
  oldest === undefined ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1_000)
