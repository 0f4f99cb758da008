import { css } from 'lit'

/** The list of keys, and the button that shows it. */
export const keysStyles = css`
  .keys {
    flex: none;
    padding: 12px 24px;
    border-bottom: 1px solid var(--_border);
    background: var(--_raised);
  }
  .keys dl {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(168px, 1fr));
    gap: 6px 16px;
    font-size: 0.8125rem;
  }
  .keys div {
    display: flex;
    align-items: baseline;
    gap: 8px;
  }
  .keys dt {
    display: flex;
    gap: 3px;
    min-width: 48px;
  }
  .keys dd {
    flex: 1;
    color: var(--_muted);
  }
  .keys dd::first-letter {
    text-transform: uppercase;
  }
  kbd {
    min-width: 20px;
    padding: 0 5px;
    border-radius: 5px;
    font: inherit;
    font-size: 0.75rem;
    text-align: center;
    background: var(--_surface);
    box-shadow: 0 0 0 1px var(--_border);
  }
  @media (hover: none) {
    .with-keyboard {
      display: none;
    }
  }
`
