import { Counter, Gauge, type Registry } from 'prom-client'

const endReasons = ['client', 'expired', 'too-slow', 'closing'] as const
const purposes = ['live', 'catch-up'] as const
const outcomes = ['resumed', 'reset'] as const

/** The reason why a stream ended. */
export type EndReason = (typeof endReasons)[number]

/** Creates the metrics of event streams. */
export function createStreamMetrics(registry: Registry) {
  const registers = [registry]
  const open = new Gauge({ name: 'herald_streams_open', help: 'Open event streams', registers })
  const ends = new Counter({
    name: 'herald_streams_ended_total',
    help: 'Ended event streams, by reason (client, expired, too-slow, closing)',
    labelNames: ['reason'],
    registers,
  })
  const events = new Counter({
    name: 'herald_stream_events_total',
    help: 'Events written to streams, by name',
    labelNames: ['event'],
    registers,
  })
  const watches = new Counter({
    name: 'herald_change_streams_total',
    help: 'Opened change streams, by purpose (live: shared by all event streams; catch-up: shared by resuming ones)',
    labelNames: ['purpose'],
    registers,
  })
  const catchUps = new Counter({
    name: 'herald_stream_catch_ups_total',
    help: 'Resumption attempts with Last-Event-ID, by outcome (resumed, reset)',
    labelNames: ['outcome'],
    registers,
  })
  // A series that starts with its first event starts at 1, which `rate` and `increase` do not see.
  for (const reason of endReasons) ends.inc({ reason }, 0)
  for (const purpose of purposes) watches.inc({ purpose }, 0)
  for (const outcome of outcomes) catchUps.inc({ outcome }, 0)

  return {
    countOpen: () => open.inc(),
    countEnd(reason: EndReason) {
      open.dec()
      ends.inc({ reason })
    },
    countEvent: (event: string) => events.inc({ event }),
    countWatch: (purpose: (typeof purposes)[number]) => watches.inc({ purpose }),
    /** Observes how far the change stream is behind, in seconds; 0 while it is closed. */
    observeLag(seconds: () => number) {
      new Gauge({
        name: 'herald_change_stream_behind_seconds',
        help: 'Age of the last position of the change stream; an idle replica set advances it every 10 s',
        registers,
        collect() {
          this.set(seconds())
        },
      })
    },
    countCatchUp: (outcome: (typeof outcomes)[number]) => catchUps.inc({ outcome }),
  }
}

export type StreamMetrics = ReturnType<typeof createStreamMetrics>
