import { Counter, Gauge, type Registry } from 'prom-client'

/** The reason why a stream ended. */
export type EndReason = 'client' | 'expired' | 'too-slow' | 'closing'

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
  return {
    countOpen: () => open.inc(),
    countEnd(reason: EndReason) {
      open.dec()
      ends.inc({ reason })
    },
    countEvent: (event: string) => events.inc({ event }),
    countWatch: (purpose: 'live' | 'catch-up') => watches.inc({ purpose }),
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
    countCatchUp: (outcome: 'resumed' | 'reset') => catchUps.inc({ outcome }),
  }
}

export type StreamMetrics = ReturnType<typeof createStreamMetrics>
