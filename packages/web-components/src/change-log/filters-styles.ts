import { css } from 'lit'

/** The form of the filters and the chips of the active ones. */
export const filtersStyles = css`
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
    padding-block: 3px;
    padding-inline: 12px 9px;
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
  @container (width < 560px) {
    .form {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
  }
`
