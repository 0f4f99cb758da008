import { html, type TemplateResult } from 'lit'
import { inIcon, outIcon } from './icons.ts'
import type { Published } from './session.ts'

/** An event that was published to Kafka or received over the stream. */
export type Step = {
  readonly direction: 'out' | 'in'
  readonly title: string
  readonly detail: string
  readonly at: Date
}

export function publishedSteps({ events, milliseconds }: Published): Step[] {
  return events.map(({ topic, type, partition, offset }) => ({
    direction: 'out',
    title: topic,
    detail: `${type}, partition ${partition}, offset ${offset}, acknowledged in ${milliseconds} ms`,
    at: new Date(),
  }))
}

export function arrivedStep(name: string, createdAt: string): Step {
  const at = new Date()
  return { direction: 'in', title: 'notifications/stream', detail: `A mention by ${name}, of ${createdAt}`, at }
}

export function traceView(steps: readonly Step[]): TemplateResult {
  return html`<ol aria-live="off">
    ${steps.map(
      ({ direction, title, detail, at }) =>
        html`<li class=${direction}>
          ${direction === 'out' ? outIcon : inIcon}<b>${title}</b>
          <time datetime=${at.toISOString()}>${at.toLocaleTimeString('en-GB')}</time><small>${detail}</small>
        </li>`,
    )}
  </ol>`
}
