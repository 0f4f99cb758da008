import { css } from 'lit'

export const inboxStyles = css`
  :host {
    display: inline-block;
    position: relative;
  }
  .bell {
    position: relative;
    display: grid;
    place-items: center;
    width: 40px;
    height: 40px;
    border-radius: 50%;
    color: var(--herald-bell, var(--_text));
    transition: background-color 0.15s;
  }
  .bell:hover,
  .bell[aria-expanded='true'] {
    background: light-dark(rgb(24 27 38 / 0.07), rgb(255 255 255 / 0.1));
  }
  .badge {
    position: absolute;
    top: 1px;
    left: 55%;
    min-width: 18px;
    height: 18px;
    padding: 0 5px;
    border-radius: 9px;
    font-size: 11px;
    font-weight: 700;
    line-height: 18px;
    text-align: center;
    font-variant-numeric: tabular-nums;
    color: var(--_on-badge);
    background: var(--_badge);
    box-shadow: 0 0 0 2px var(--herald-bell-ground, var(--_surface));
    animation: pop 0.35s cubic-bezier(0.3, 1.6, 0.5, 1);
  }
  .bell.away::after {
    content: '';
    position: absolute;
    inset-inline-start: 7px;
    bottom: 7px;
    width: 9px;
    height: 9px;
    border-radius: 50%;
    background: var(--_muted);
    box-shadow: 0 0 0 2px var(--herald-bell-ground, var(--_surface));
  }
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
    transform-origin: top right;
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
    padding: 16px 12px 10px 24px;
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
  .bar {
    display: flex;
    align-items: center;
    justify-content: space-between;
    flex-wrap: wrap;
    gap: 6px;
    margin-top: 8px;
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
    padding: 0 12px;
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
    padding: 0 8px;
  }
  .mark-all:disabled {
    opacity: 0.75;
    background: none;
  }
  .notice {
    flex: none;
    display: flex;
    align-items: center;
    gap: 10px;
    padding: 8px 10px 8px 24px;
    min-height: 44px;
    font-size: 0.8125rem;
    color: var(--_warning);
    background: var(--_warning-tint);
  }
  .notice p {
    flex: 1;
  }
  .notice .round {
    color: inherit;
  }
  .notice.bad {
    color: var(--_removed);
    background: var(--_removed-tint);
  }
  .scroller {
    position: relative;
    flex: 1;
    min-height: 0;
    overflow-y: auto;
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
  article {
    position: relative;
    display: grid;
    grid-template-columns: 38px minmax(0, 1fr) 32px;
    column-gap: 12px;
    padding-block: 13px;
    padding-inline: 24px 12px;
    transition: background-color 0.2s;
  }
  article + article {
    border-top: 1px solid var(--_border);
  }
  article:hover {
    background: var(--_raised);
  }
  article.unread {
    background: var(--_tint);
  }
  article.unread:hover {
    background: light-dark(color-mix(in oklab, var(--_tint), #3d4fd6 5%), color-mix(in oklab, var(--_tint), #ffffff 4%));
  }
  article:focus-visible {
    outline-offset: -3px;
    border-radius: 10px;
  }
  article.fresh {
    animation: arrive 1.8s ease-out;
  }
  .open {
    display: block;
    text-align: start;
    color: inherit;
    text-decoration: none;
    overflow-wrap: anywhere;
  }
  .open:focus-visible {
    outline: none;
  }
  /* Makes the whole card clickable and the target of the focus ring. */
  .open::after {
    content: '';
    position: absolute;
    inset: 0;
    border-radius: 10px;
  }
  .open:focus-visible::after {
    outline: 2px solid var(--_accent);
    outline-offset: -3px;
  }
  .open b {
    font-weight: 620;
  }
  .did {
    color: var(--_muted);
  }
  .unread .did {
    color: var(--_text);
  }
  .snippet {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    line-clamp: 2;
    overflow: hidden;
    margin-top: 3px;
    color: var(--_muted);
    overflow-wrap: anywhere;
  }
  .unread .snippet {
    color: var(--_text);
  }
  .meta {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 6px;
    margin-top: 5px;
    font-size: 0.78125rem;
    color: var(--_muted);
  }
  .meta .where::before {
    content: '·';
    margin-right: 6px;
  }
  .side {
    display: grid;
    place-items: start center;
  }
  .dot {
    position: absolute;
    top: 28px;
    inset-inline-start: 8px;
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--_accent);
    pointer-events: none;
  }
  .mark {
    position: relative;
    z-index: 1;
    margin-top: -5px;
    color: var(--_muted);
    opacity: 0;
  }
  .mark:hover {
    color: var(--_accent);
    background: light-dark(rgb(24 27 38 / 0.07), rgb(255 255 255 / 0.1));
  }
  article:hover .mark,
  article:focus-within .mark,
  article:focus .mark {
    opacity: 1;
  }
  @media (hover: none) {
    .mark {
      opacity: 1;
    }
  }
  .end,
  .message {
    display: grid;
    justify-items: center;
    text-align: center;
    color: var(--_muted);
  }
  .end {
    min-height: 52px;
    place-content: center;
    gap: 8px;
    padding: 14px 18px;
    font-size: 0.8125rem;
    border-top: 1px solid var(--_border);
  }
  .message {
    align-content: center;
    gap: 4px;
    min-height: 268px;
    padding: 28px 36px 36px;
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
    margin-top: 14px;
    color: var(--_text);
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
  @keyframes pop {
    from {
      scale: 0.4;
    }
  }
  @keyframes drop {
    from {
      opacity: 0;
      translate: 0 -8px;
    }
  }
  @keyframes arrive {
    from {
      background: color-mix(in oklab, var(--_accent) 24%, var(--_surface));
    }
  }
  @media (forced-colors: active) {
    .panel,
    article.unread {
      border: 1px solid CanvasText;
    }
    .dot,
    .badge {
      forced-color-adjust: none;
    }
  }
`
