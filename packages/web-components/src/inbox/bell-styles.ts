import { css } from 'lit'

/** The bell, its badge and the host element. */
export const bellStyles = css`
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
    inset-inline-start: 55%;
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
  @keyframes pop {
    from {
      scale: 0.4;
    }
  }
  @media (forced-colors: active) {
    .badge {
      forced-color-adjust: none;
    }
  }
`
