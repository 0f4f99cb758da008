import { Counter, Gauge, type Registry } from 'prom-client'

const endReasons = ['client', 'expired', 'too-slow', 'closing'] as const
export type EndReason = (typeof endReasons)[number]

export function createStreamMetrics(registry: Registry) {
  const registers = [registry]
  const open = new Gauge({ name: 'herald_streams_open', help: 'Open event streams', registers })

  function counterOf<Value extends string>(name: string, help: string, label: string, values: readonly Value[]) {
    const counter = new Counter({ name, help, labelNames: [label], registers })
    // A series that starts with its first event starts at 1, which `rate` and `increase` do not see.
    for (const value of values) counter.inc({ [label]: value }, 0)
    return (value: Value) => counter.inc({ [label]: value })
  }

  const endsHelp = `Ended event streams, by reason (${endReasons.join(', ')})`
  const countEnd = counterOf<EndReason>('herald_streams_ended_total', endsHelp, 'reason', endReasons)
  const eventsHelp = 'Events written to streams, by name'
  const watchesHelp =
    'Opened change streams, by purpose (live: shared by all event streams; catch-up: shared by resuming ones)'
  const catchUpsHelp = 'Resumption attempts with Last-Event-ID, by outcome (resumed, reset)'
  return {
    countOpen: () => open.inc(),
    countEnd(reason: EndReason) {
      open.dec()
      countEnd(reason)
    },
    countEvent: counterOf<string>('herald_stream_events_total', eventsHelp, 'event', []),
    countWatch: counterOf('herald_change_streams_total', watchesHelp, 'purpose', ['live', 'catch-up']),
    countCatchUp: counterOf('herald_stream_catch_ups_total', catchUpsHelp, 'outcome', ['resumed', 'reset']),
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
  }
}

export type StreamMetrics = ReturnType<typeof createStreamMetrics>
