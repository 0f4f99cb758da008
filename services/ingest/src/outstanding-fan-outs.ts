import { Gauge, type Registry } from 'prom-client'

/** Exposes whether `migrate.js --fan-outs` has yet to finish. MongoDB is asked in the background, until it has. */
export function exposeOutstandingFanOuts(registry: Registry, isOutstanding: () => Promise<boolean>): void {
  let known: boolean | undefined
  let isAsking = false
  new Gauge({
    name: 'herald_fan_outs_outstanding',
    help: '1 until migrate.js --fan-outs has written what earlier releases left out',
    registers: [registry],
    collect() {
      this.set(known ? 1 : 0)
      if (known === false || isAsking) return
      isAsking = true
      isOutstanding()
        .then((outstanding) => {
          known = outstanding
        })
        // Asked again by the next scrape.
        .catch(() => {})
        .finally(() => {
          isAsking = false
        })
    },
  })
}
