import { css } from 'lit'

/** The panel below the bell. */
export const panelStyles = css`
  .panel {
    position: fixed;
    inset: auto;
    margin: 0;
    padding: 0;
    border: 0;
    width: min(412px, calc(100vw - 24px));
    height: fit-content;
    max-height: 640px;
    overflow: hidden;
    flex-direction: column;
    color: var(--_text);
    background: var(--_surface);
    border-radius: var(--_radius);
    box-shadow: var(--_shadow);
    opacity: 0;
    translate: 0 -6px;
    scale: 0.985;
    transform-origin: top;
    transition:
      opacity 0.14s ease-out,
      translate 0.18s cubic-bezier(0.2, 0.9, 0.3, 1),
      scale 0.18s cubic-bezier(0.2, 0.9, 0.3, 1),
      overlay 0.14s allow-discrete,
      display 0.14s allow-discrete;
  }
  .panel:popover-open {
    display: flex;
    opacity: 1;
    translate: 0 0;
    scale: 1;
  }
  @starting-style {
    .panel:popover-open {
      opacity: 0;
      translate: 0 -6px;
      scale: 0.985;
    }
  }
  .panel:focus {
    outline: none;
  }
  .head {
    flex: none;
    padding-block: 16px 10px;
    padding-inline: 24px 12px;
    border-bottom: 1px solid var(--_border);
  }
  .title {
    display: flex;
    align-items: center;
    gap: 4px;
    min-height: 32px;
  }
  h2 {
    flex: 1;
    font-size: 1.0625rem;
    font-weight: 650;
    letter-spacing: -0.012em;
  }
  .bar {
    display: flex;
    align-items: center;
    justify-content: space-between;
    flex-wrap: wrap;
    gap: 4px;
    margin-top: 8px;
    font-size: 0.8125rem;
  }
  .filter {
    display: inline-flex;
    gap: 2px;
    padding: 2px;
    border-radius: 9px;
    background: var(--_raised);
  }
  .filter button {
    min-height: 28px;
    padding: 0 8px;
    border-radius: 7px;
    font-weight: 550;
    color: var(--_muted);
  }
  .filter button[aria-pressed='true'] {
    color: var(--_text);
    background: light-dark(#ffffff, #343846);
    box-shadow: 0 1px 2px rgb(0 0 0 / 0.12);
  }
  .filter .count {
    margin-inline-start: 2px;
    font-variant-numeric: tabular-nums;
    color: var(--_accent);
  }
  .mark-all {
    padding: 0 6px;
  }
  .mark-all:disabled {
    opacity: 0.75;
    background: none;
  }
  .scroller {
    position: relative;
    flex: 1;
    min-height: 0;
    overflow: hidden auto;
    /* The element keeps the visible part in place itself, in every browser. */
    overflow-anchor: none;
    overscroll-behavior: contain;
    scrollbar-width: thin;
    scrollbar-color: var(--_border) transparent;
  }
  .new-above {
    position: sticky;
    top: 10px;
    z-index: 1;
    display: flex;
    align-items: center;
    gap: 6px;
    width: fit-content;
    height: 30px;
    margin: 0 auto -30px;
    padding: 0 14px;
    border-radius: 15px;
    font-size: 0.8125rem;
    font-weight: 600;
    color: var(--_on-accent);
    background: var(--_accent);
    box-shadow: 0 4px 14px rgb(0 0 0 / 0.22);
    animation: drop 0.2s ease-out;
  }
  .placeholder {
    display: grid;
    grid-template-columns: 38px 1fr;
    gap: 0 12px;
    padding: 14px 24px;
    border-bottom: 1px solid var(--_border);
  }
  .placeholder i:first-child {
    grid-row: span 3;
    width: 38px;
    height: 38px;
    border-radius: 50%;
  }
  .placeholder i {
    height: 11px;
    margin-top: 5px;
    width: 62%;
  }
  .placeholder i:nth-child(3) {
    width: 92%;
    margin-top: 9px;
  }
  @keyframes drop {
    from {
      opacity: 0;
      translate: 0 -8px;
    }
  }
  .notice {
    flex: none;
    padding-block: 8px 8px;
    padding-inline: 24px 10px;
    font-size: 0.8125rem;
  }
  .done {
    color: var(--_text);
    background: var(--_raised);
  }
  .round[aria-pressed='true'] {
    color: var(--_accent);
    background: var(--_tint);
  }
  .mutes {
    list-style: none;
  }
  .mutes li {
    display: flex;
    align-items: center;
    gap: 12px;
    padding: 12px 24px;
    border-bottom: 1px solid var(--_border);
  }
  .mutes p {
    flex: 1;
    min-width: 0;
  }
  .mutes b {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .message {
    align-content: center;
    min-height: 268px;
    padding: 28px 36px 36px;
  }
  .end {
    min-height: 52px;
    place-content: center;
    gap: 8px;
    padding: 14px 18px;
    font-size: 0.8125rem;
    border-top: 1px solid var(--_border);
  }
  @media (forced-colors: active) {
    .panel {
      border: 1px solid CanvasText;
    }
  }
`
