import { css } from 'lit'

/** The difference of two JSON values, and whole rows. */
export const differenceStyles = css`
  .line {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 4px 8px;
    min-width: 0;
  }
  .to,
  .nothing,
  .none {
    color: var(--_muted);
  }
  ins,
  del {
    font-variant-numeric: tabular-nums;
    min-width: 0;
    padding: 1px 7px;
    border-radius: 6px;
    text-decoration: none;
    overflow-wrap: anywhere;
    box-decoration-break: clone;
    -webkit-box-decoration-break: clone;
  }
  ins {
    color: var(--_added);
    background: var(--_added-tint);
  }
  del {
    color: var(--_removed);
    background: var(--_removed-tint);
    text-decoration: line-through;
    text-decoration-color: color-mix(in srgb, currentColor 55%, transparent);
  }
  .text {
    padding: 8px 11px;
    border-radius: 8px;
    background: var(--_raised);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .text ins,
  .text del {
    padding: 0 2px;
    border-radius: 3px;
  }
  code,
  pre,
  .name {
    font-family: var(--_mono);
    font-size: 0.78125rem;
  }
  pre {
    margin: 2px 0;
    max-height: 320px;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  del pre,
  del code {
    text-decoration: none;
  }
  .members {
    list-style: none;
    display: grid;
    gap: 4px;
  }
  .members li {
    display: grid;
    grid-template-columns: fit-content(180px) minmax(0, 1fr);
    align-items: baseline;
    gap: 2px 10px;
  }
  .members li.object,
  .members li.array,
  .members li.text {
    grid-template-columns: minmax(0, 1fr);
  }
  .members .members {
    padding-inline-start: 12px;
    border-inline-start: 2px solid var(--_border);
  }
  .name {
    color: var(--_muted);
    overflow-wrap: anywhere;
  }
  .object.added > .name,
  .array.added > .name {
    color: var(--_added);
  }
  .object.removed > .name,
  .array.removed > .name {
    color: var(--_removed);
    text-decoration: line-through;
  }
  .members .unchanged {
    display: block;
    font-size: 0.75rem;
    color: var(--_muted);
  }
  .row {
    width: 100%;
    table-layout: fixed;
    border-collapse: collapse;
    border-inline-start: 2px solid var(--_border);
  }
  .row.added {
    border-color: var(--_added);
  }
  .row.removed {
    border-color: var(--_removed);
  }
  .row th,
  .row td {
    padding-block: 3px;
    padding-inline-start: 10px;
    text-align: start;
    vertical-align: baseline;
    overflow-wrap: anywhere;
  }
  .row tr + tr > * {
    border-top: 1px solid var(--_border);
  }
  .row th {
    width: 34%;
    font-family: var(--_mono);
    font-size: 0.78125rem;
    font-weight: 400;
    color: var(--_muted);
  }
  .row td {
    font-variant-numeric: tabular-nums;
    white-space: pre-line;
  }
  @media (forced-colors: active) {
    ins,
    del {
      border: 1px solid CanvasText;
    }
  }
`
