import { css } from 'lit'

/** One notification. */
export const itemStyles = css`
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
