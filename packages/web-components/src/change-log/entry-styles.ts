import { css } from 'lit'

/** One change. */
export const entryStyles = css`
  .entry {
    position: relative;
    padding-block-end: 12px;
    padding-inline-start: 42px;
  }
  .entry::before {
    content: '';
    position: absolute;
    inset-block: 14px -14px;
    inset-inline-start: 13px;
    width: 2px;
    background: var(--_border);
  }
  .entry:last-child::before {
    bottom: 14px;
  }
  .node {
    position: absolute;
    inset-inline-start: 0;
    top: 9px;
    display: grid;
    place-items: center;
    width: 28px;
    height: 28px;
    border-radius: 50%;
    color: var(--_accent);
    background: var(--_tint);
    box-shadow: 0 0 0 4px var(--herald-ground, var(--_surface));
  }
  .node.created {
    color: var(--_added);
    background: var(--_added-tint);
  }
  .node.removed {
    color: var(--_removed);
    background: var(--_removed-tint);
  }
  .card {
    display: grid;
    grid-template:
      'what time'
      'where where'
      'seal seal'
      'difference difference'
      'whole whole' / minmax(0, 1fr) auto;
    column-gap: 20px;
    padding-block: 11px 13px;
    padding-inline: 14px 16px;
    border-radius: var(--_radius);
    background: var(--_surface);
    box-shadow: 0 0 0 1px var(--_border);
  }
  .what {
    grid-area: what;
    display: flex;
    align-items: flex-start;
    gap: 9px;
  }
  .sentence {
    flex: 1;
    padding-top: 2px;
    overflow-wrap: anywhere;
  }
  .sentence b {
    font-weight: 620;
  }
  time {
    grid-area: time;
    padding-top: 2px;
    font-size: 0.78125rem;
    line-height: 1.6;
    color: var(--_muted);
  }
  .where {
    grid-area: where;
    align-self: start;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 8px;
    margin-inline-start: 35px;
    color: var(--_muted);
  }
  .kind {
    font-size: 0.78125rem;
  }
  .kind::before {
    content: '· ';
  }
  .link {
    display: inline;
    border-radius: 4px;
    text-align: start;
    overflow-wrap: anywhere;
    text-decoration: underline transparent;
    text-underline-offset: 3px;
    transition: text-decoration-color 0.12s;
  }
  .where .link {
    min-height: 24px;
  }
  .link:hover {
    text-decoration-color: currentColor;
  }
  .seal {
    grid-area: seal;
    align-self: start;
    display: flex;
    flex-wrap: wrap;
    gap: 2px 14px;
    margin-inline-start: 35px;
    font-size: 0.78125rem;
    color: var(--_muted);
  }
  .seal .link {
    display: flex;
    align-items: center;
    gap: 6px;
  }
  .seal .link,
  .awaited {
    min-height: 24px;
  }
  .sealed > :first-child,
  .unaltered > :first-child {
    color: var(--_added);
  }
  .altered > :first-child {
    font-weight: 620;
    color: var(--_removed);
  }
  .difference {
    grid-area: difference;
    margin-block-start: 9px;
    margin-inline-start: 35px;
    font-size: 0.8125rem;
  }
  .whole {
    grid-area: whole;
    justify-self: start;
    margin-block-start: 10px;
    margin-inline-start: 35px;
  }
  @container (width >= 840px) {
    .card {
      grid-template:
        'what difference time' auto
        'where difference time' auto
        'seal difference time' 1fr
        'whole whole whole' / minmax(0, 5fr) minmax(0, 7fr) 84px;
    }
    .difference {
      margin-block-start: 2px;
      margin-inline-start: 0;
    }
    time {
      text-align: end;
    }
  }
  @container (width < 560px) {
    .entry {
      padding-inline-start: 0;
    }
    .entry::before,
    .node {
      display: none;
    }
    .difference,
    .whole {
      margin-inline-start: 0;
    }
  }
  @media (forced-colors: active) {
    .card {
      border: 1px solid CanvasText;
    }
  }
`
