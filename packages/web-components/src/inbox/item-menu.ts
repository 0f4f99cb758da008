import type { MuteTarget } from '@herald/client'
import { html, type TemplateResult } from 'lit'
import type { InboxTexts } from '../texts/inbox-texts.ts'

const hourMs = 3_600_000
const durations = [
  ['hour', hourMs],
  ['day', 24 * hourMs],
  ['week', 7 * 24 * hourMs],
  ['forGood', undefined],
] as const

export type MenuView = {
  readonly texts: InboxTexts
  /** The targets that can be muted, with their names. */
  readonly targets: readonly (MuteTarget & { readonly name: string })[]
  /** The actions of the buttons beside the notification, which touch screens do not show. */
  readonly actions: readonly { readonly label: string; readonly onClick: () => void }[]
  readonly onMute: (target: MuteTarget, name: string, milliseconds: number | undefined) => void
}

/** Further actions of a notification; opens below it. */
export function itemMenu({ texts, targets, actions, onMute }: MenuView): TemplateResult {
  const button = (label: string, onClick: () => void) =>
    html`<button class="button" type="button" @click=${onClick}>${label}</button>`
  const mute = ({
    kind,
    id,
    name,
  }: MenuView['targets'][number]) => html`<div role="group" aria-label=${texts.mute(name)}>
    <span aria-hidden="true">${texts.mute(name)}</span>
    ${durations.map(([text, ms]) => button(texts[text], () => onMute({ kind, id }, name, ms)))}
  </div>`
  return html`<div class="menu" part="menu" role="group" aria-label=${texts.more}>
    <div>${actions.map(({ label, onClick }) => button(label, onClick))}</div>
    ${targets.map(mute)}
  </div>`
}
