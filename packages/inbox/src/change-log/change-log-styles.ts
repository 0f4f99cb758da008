import { css } from 'lit'

export const changeLogStyles = css`
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
    padding: 0 2px 0 12px;
    color: var(--_muted);
  }
  .group .button {
    box-shadow: none;
    background: none;
    padding: 0 10px;
    color: var(--_accent);
  }
  .group .button:last-child {
    margin-right: 2px;
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
  .form {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
    gap: 12px;
    margin-bottom: 14px;
    padding: 16px;
    border-radius: var(--_radius);
    background: var(--_raised);
  }
  label span {
    display: block;
    margin-bottom: 4px;
    font-size: 0.78125rem;
    font-weight: 550;
    color: var(--_muted);
  }
  input,
  select {
    width: 100%;
    height: 36px;
    padding: 0 10px;
    border: 1px solid light-dark(#8d92a3, #6a7082);
    border-radius: 8px;
    color: var(--_text);
    background: var(--_surface);
  }
  input::placeholder {
    color: var(--_muted);
    opacity: 1;
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    margin-bottom: 14px;
    list-style: none;
  }
  .chip {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    max-width: 100%;
    min-height: 30px;
    padding: 3px 9px 3px 12px;
    border-radius: 15px;
    font-weight: 550;
    text-align: start;
    color: var(--_text);
    background: var(--_tint);
    box-shadow: inset 0 0 0 1px var(--_border);
  }
  .chip:hover {
    background: var(--_raised);
  }
  .chip span {
    font-weight: 400;
    color: var(--_muted);
  }
  .notice {
    display: flex;
    align-items: center;
    gap: 10px;
    margin-bottom: 14px;
    padding: 6px 8px 6px 14px;
    min-height: 44px;
    border-radius: 10px;
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
    color: inherit;
  }
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
    margin: 0 0 10px -8px;
    padding: 6px 10px 6px 8px;
    border-radius: 0 0 10px 0;
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
  .entry {
    position: relative;
    padding: 0 0 12px 42px;
  }
  .entry::before {
    content: '';
    position: absolute;
    inset: 14px auto -14px 13px;
    width: 2px;
    background: var(--_border);
  }
  .entry:last-child::before {
    bottom: 14px;
  }
  .node {
    position: absolute;
    left: 0;
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
      'difference difference'
      'whole whole' / minmax(0, 1fr) auto;
    column-gap: 20px;
    padding: 11px 16px 13px 14px;
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
    margin: 0 0 0 35px;
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
  .difference {
    grid-area: difference;
    margin: 9px 0 0 35px;
    font-size: 0.8125rem;
  }
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
    padding-left: 12px;
    border-left: 2px solid var(--_border);
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
  .whole {
    grid-area: whole;
    justify-self: start;
    margin: 10px 0 0 35px;
  }
  .placeholder {
    display: grid;
    gap: 9px;
    margin: 0 0 12px 42px;
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
  .message,
  .end {
    display: grid;
    justify-items: center;
    gap: 4px;
    padding: 20px;
    text-align: center;
    color: var(--_muted);
  }
  .message {
    padding: 56px 20px;
    border-radius: var(--_radius);
    background: var(--_surface);
    box-shadow: 0 0 0 1px var(--_border);
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
  .message .button,
  .end .button {
    margin-top: 12px;
    color: var(--_text);
  }
  @container (width >= 840px) {
    .card {
      grid-template:
        'what difference time' auto
        'where difference time' 1fr
        'whole whole whole' / minmax(0, 5fr) minmax(0, 7fr) 84px;
    }
    .difference {
      margin: 2px 0 0;
    }
    time {
      text-align: end;
    }
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
    .entry {
      padding-left: 0;
    }
    .entry::before,
    .node {
      display: none;
    }
    .difference,
    .whole {
      margin-left: 0;
    }
    .placeholder {
      margin-left: 0;
    }
    .form {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
  }
  @media (forced-colors: active) {
    .card,
    .group,
    ins,
    del {
      border: 1px solid CanvasText;
    }
  }
`
