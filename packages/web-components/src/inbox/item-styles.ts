import { css } from 'lit'

/** One notification. */
export const itemStyles = css`
  article {
    position: relative;
    display: grid;
    grid-template-columns: 38px minmax(0, 1fr) 28px;
    column-gap: 12px;
    min-height: 98px;
    padding-block: 13px;
    padding-inline: 24px 10px;
    transition: background-color 0.2s;
    touch-action: pan-y;
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
  article.sketch {
    display: block;
    contain: strict;
    padding-inline-start: 74px;
    color: var(--_muted);
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
    text-align: match-parent;
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
    margin-inline-end: 6px;
  }
  .meta .new {
    padding: 0 6px;
    border-radius: 6px;
    color: var(--_on-accent);
    background: var(--_accent);
  }
  .inner {
    padding-inline-start: 56px;
    --_avatar: 28px;
  }
  /* One layer for all buttons, because long lists have many. */
  .side {
    position: relative;
    z-index: 1;
    margin-block: -8px;
    opacity: 0;
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
  .inner .dot {
    inset-inline-start: 38px;
  }
  .act {
    width: 28px;
    height: 28px;
  }
  .act:hover {
    color: var(--_accent);
    background: light-dark(rgb(24 27 38 / 0.07), rgb(255 255 255 / 0.1));
  }
  article:hover .side,
  article:focus-within .side {
    opacity: 1;
  }
  .menu,
  article .button {
    position: relative;
    z-index: 1;
    margin-top: 8px;
  }
  .menu div {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    margin-top: 8px;
  }
  .menu span {
    flex: 100%;
    overflow-wrap: anywhere;
  }
  .menu .button {
    min-height: 28px;
    margin: 0;
    padding: 0 9px;
    font-size: 0.8125rem;
  }
  [data-swipe]::before,
  [data-swipe]::after {
    position: absolute;
    top: 40%;
    padding: 0 14px;
    white-space: nowrap;
    font-weight: 600;
  }
  [data-swipe^='start']::before {
    content: attr(data-start);
    inset-inline-start: 100%;
  }
  [data-swipe^='end']::after {
    content: attr(data-end);
    inset-inline-end: 100%;
  }
  [data-swipe$='enough'] {
    color: var(--_accent);
    background: var(--_raised);
  }
  @media (prefers-reduced-motion: no-preference) {
    article {
      translate: var(--swipe);
    }
  }
  /* A finger swipes; everything else is in the menu. */
  @media (hover: none) {
    .side {
      opacity: 1;
    }
    .mark,
    .archive {
      display: none;
    }
  }
  @keyframes arrive {
    from {
      background: color-mix(in oklab, var(--_accent) 24%, var(--_surface));
    }
  }
  @media (forced-colors: active) {
    article.unread {
      border: 1px solid CanvasText;
    }
    .dot {
      forced-color-adjust: none;
    }
  }
`
