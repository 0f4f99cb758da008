import { html, nothing, type TemplateResult } from 'lit'
import type { Altered, Verified } from './session.ts'

export type TamperingView = {
  readonly altered: Altered | null
  readonly verified: Verified | undefined
  readonly isBusy: boolean
  readonly problem: string
  readonly onAlter: () => void
  readonly onRestore: () => void
}

/** Alters an entry in the database, and shows how that is found. */
export function tamperingView(view: TamperingView): TemplateResult {
  const { altered, verified, isBusy, problem, onAlter, onRestore } = view
  return html`<section class="card tampering" id="tampering" aria-labelledby="tampering-title">
    <div>
      <h2 id="tampering-title">Tamper with the change log</h2>
      <p>
        Alters the newest sealed entry in MongoDB, so that it names another person, and has <code>verify.js</code> check an export
        of the log against its checkpoint.
      </p>
    </div>
    <button class="alter" type="button" aria-disabled=${isBusy} @click=${isBusy ? nothing : altered ? onRestore : onAlter}>
      ${altered ? 'Put it back' : 'Alter an entry'}
    </button>
    <div class="verified" role="status">
      ${altered ? html`<p>Entry ${altered.entryId} now names ${altered.forgedName} in place of ${altered.name}.</p>` : nothing}
      ${verified ? verifiedView(verified) : nothing}
    </div>
    <p class="problem" role="alert">${problem}</p>
  </section>`
}

function verifiedView({ exitCode, findings, result }: Verified) {
  return html`<p><b class=${exitCode === 1 || exitCode === 2 ? 'bad' : 'good'}>verify.js exited with ${exitCode}.</b> ${result}</p>
    ${
      findings.length === 0
        ? nothing
        : html`<pre tabindex="0" role="group" aria-label="Findings of verify.js">${findings.join('\n')}</pre>`
    }`
}
