import { html, type TemplateResult } from 'lit'

export const timeOf = (iso: string): TemplateResult =>
  html`<time datetime=${iso}>${new Date(iso).toLocaleTimeString('en-GB')}</time>`
