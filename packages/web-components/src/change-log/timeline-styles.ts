import { css } from 'lit'

/** The list of days, and what is shown instead of it. */
export const timelineStyles = css`
  .list {
    transition: opacity 0.15s;
  }
  .list.stale {
    opacity: 0.5;
  }
  h3 {
    position: sticky;
    top: var(--herald-sticky-top, 0);
    z-index: 1;
    width: fit-content;
    margin-block-end: 10px;
    margin-inline-start: -8px;
    padding-block: 6px;
    padding-inline: 8px 10px;
    border-end-end-radius: 10px;
    font-size: 0.8125rem;
    font-weight: 620;
    color: var(--_muted);
    background: var(--herald-ground, var(--_surface));
  }
  ol {
    margin: 0 0 18px;
    padding: 0;
    list-style: none;
  }
  .placeholder {
    display: grid;
    gap: 9px;
    margin-block-end: 12px;
    margin-inline-start: 42px;
    padding: 16px 14px;
    border-radius: var(--_radius);
    box-shadow: 0 0 0 1px var(--_border);
  }
  .placeholder i {
    height: 12px;
    width: 44%;
  }
  .placeholder i:nth-child(2) {
    width: 28%;
  }
  .placeholder i:nth-child(3) {
    width: 66%;
  }
  .notice {
    margin-bottom: 14px;
    padding-block: 6px;
    padding-inline: 14px 8px;
    border-radius: 10px;
  }
  .message {
    padding: 56px 20px;
    border-radius: var(--_radius);
    background: var(--_surface);
    box-shadow: 0 0 0 1px var(--_border);
  }
  .end {
    padding: 20px;
  }
  .end .button {
    margin-top: 12px;
    color: var(--_text);
  }
  @container (width < 560px) {
    .placeholder {
      margin-inline-start: 0;
    }
  }
`
