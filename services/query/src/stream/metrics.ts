import { Counter, Gauge, type Registry } from 'prom-client'

/** Why a stream ended. */
export type EndReason = 'client' | 'expired' | 'too-slow' | 'closing'

/** What is counted of streams. */
export function createStreamMetrics(registry: Registry) {
  const registers = [registry]
  const open = new Gauge({ name: 'herald_streams_open', help: 'Streams that are open', registers })
  const ends = new Counter({
    name: 'herald_streams_ended_total',
    help: 'Streams that ended, by reason (client, expired, too-slow, closing); too-slow were cut off',
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
    help: 'Change streams opened, by purpose (live: the shared one; catch-up: for those who came back)',
    labelNames: ['purpose'],
    registers,
  })
  const catchUps = new Counter({
    name: 'herald_stream_catch_ups_total',
    help: 'Streams that came back with an id, by outcome (resumed, reset)',
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
    /** Shows how far the change stream is behind, in seconds; 0 while none is needed. */
    showBehind(seconds: () => number) {
      new Gauge({
        name: 'herald_change_stream_behind_seconds',
        help: 'How long ago the last place was that the change stream has told of; a quiet replica set moves every 10 s',
        registers,
        collect() {
          this.set(seconds())
        },
      })
    },
    countReturn: (outcome: 'resumed' | 'reset') => catchUps.inc({ outcome }),
  }
}

export type StreamMetrics = ReturnType<typeof createStreamMetrics>
