import { css } from 'lit'

/** The views of state-views.ts. Each component adds their sizes and distances. */
export const stateStyles = css`
  .message,
  .end {
    display: grid;
    justify-items: center;
    gap: 4px;
    text-align: center;
    color: var(--_muted);
  }
  .message .picture {
    display: grid;
    place-items: center;
    width: 64px;
    height: 64px;
    margin-bottom: 10px;
    border-radius: 50%;
    color: var(--_accent);
    background: var(--_tint);
  }
  .message.bad .picture {
    color: var(--_removed);
    background: var(--_removed-tint);
  }
  .message strong {
    font-size: 0.9375rem;
    font-weight: 620;
    color: var(--_text);
  }
  .message .button {
    margin-top: 12px;
    color: var(--_text);
  }
  .notice {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: 44px;
    color: var(--_warning);
    background: var(--_warning-tint);
  }
  .notice.bad {
    color: var(--_removed);
    background: var(--_removed-tint);
  }
  .notice p {
    flex: 1;
  }
  .round {
    display: grid;
    place-items: center;
    width: 32px;
    height: 32px;
    border-radius: 50%;
    color: var(--_muted);
  }
  .round:hover {
    color: var(--_text);
    background: var(--_raised);
  }
  .notice .round {
    color: inherit;
  }
`
