import { css } from 'lit'

/** The header with its buttons, and the host element. */
export const toolbarStyles = css`
  :host {
    display: block;
    container-type: inline-size;
    --_avatar: 26px;
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    margin-bottom: 14px;
  }
  h2 {
    flex: 1 1 auto;
    font-size: 1.25rem;
    font-weight: 650;
    letter-spacing: -0.016em;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .group {
    display: inline-flex;
    align-items: center;
    border-radius: 8px;
    box-shadow: inset 0 0 0 1px var(--_border);
    background: var(--_surface);
  }
  .group > span {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    padding-inline: 12px 2px;
    color: var(--_muted);
  }
  .group .button {
    box-shadow: none;
    background: none;
    padding: 0 10px;
    color: var(--_accent);
  }
  .group .button:last-child {
    margin-inline-end: 2px;
  }
  .icon {
    padding: 0 8px;
  }
  .button[aria-expanded='true'] {
    background: var(--_raised);
  }
  .button .count {
    min-width: 18px;
    border-radius: 9px;
    padding: 0 5px;
    font-size: 0.75rem;
    line-height: 18px;
    color: var(--_on-accent);
    background: var(--_accent);
  }
  @container (width < 560px) {
    .tools {
      width: 100%;
    }
    .group {
      flex: 1;
    }
    .group .button {
      flex: 1;
      padding: 0 6px;
    }
  }
  @media (forced-colors: active) {
    .group {
      border: 1px solid CanvasText;
    }
  }
`
