import { css } from 'lit'

/**
 * Every colour and size of both components; each can be overridden by its public custom property. Light and dark follow the
 * system unless the attribute `theme` is set.
 */
export const theme = css`
  :host {
    color-scheme: light dark;
    --_accent: var(--herald-accent, light-dark(#3d4fd6, #9aa8ff));
    --_on-accent: var(--herald-on-accent, light-dark(#ffffff, #12163a));
    --_surface: var(--herald-surface, light-dark(#ffffff, #16181f));
    --_raised: var(--herald-raised, light-dark(#f4f5f9, #20232d));
    --_tint: var(--herald-unread, light-dark(#f3f5ff, #1c2135));
    --_text: var(--herald-text, light-dark(#181b26, #eceef5));
    --_muted: var(--herald-muted, light-dark(#5a6072, #a3a9bb));
    --_border: var(--herald-border, light-dark(#e3e5ed, #2d313e));
    --_badge: var(--herald-badge, light-dark(#d12c46, #ff8095));
    --_on-badge: var(--herald-on-badge, light-dark(#ffffff, #33040d));
    --_added: var(--herald-added, light-dark(#0d6b41, #6fdba6));
    --_added-tint: var(--herald-added-tint, light-dark(#e3f6ec, #12301f));
    --_removed: var(--herald-removed, light-dark(#b0223a, #ff9aa8));
    --_removed-tint: var(--herald-removed-tint, light-dark(#fdebed, #3a171d));
    --_warning: var(--herald-warning, light-dark(#7a4a00, #ffc978));
    --_warning-tint: var(--herald-warning-tint, light-dark(#fff5e0, #33260f));
    --_shadow: var(
      --herald-shadow,
      0 0 0 1px light-dark(rgb(24 27 38 / 0.07), rgb(255 255 255 / 0.09)),
      0 4px 10px light-dark(rgb(24 27 38 / 0.06), rgb(0 0 0 / 0.4)),
      0 20px 48px light-dark(rgb(24 27 38 / 0.16), rgb(0 0 0 / 0.55))
    );
    --_radius: var(--herald-radius, 14px);
    --_mono: var(--herald-mono, ui-monospace, Menlo, Consolas, monospace);
    font-family: var(--herald-font, system-ui, sans-serif);
    font-size: var(--herald-font-size, 0.875rem);
    line-height: 1.45;
    color: var(--_text);
    -webkit-text-size-adjust: 100%;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  h2,
  h3,
  p,
  dl,
  dd,
  ul {
    margin: 0;
    padding: 0;
  }
  button,
  input,
  select {
    font: inherit;
    color: inherit;
  }
  button {
    border: 0;
    background: none;
    padding: 0;
    cursor: pointer;
    touch-action: manipulation;
    -webkit-tap-highlight-color: transparent;
  }
  button:disabled {
    cursor: default;
  }
  svg {
    display: block;
    flex: none;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-height: 32px;
    padding: 0 12px;
    border-radius: 8px;
    font-weight: 550;
    white-space: nowrap;
    box-shadow: inset 0 0 0 1px var(--_border);
    background: var(--_surface);
  }
  .button:hover:not(:disabled) {
    background: var(--_raised);
  }
  .button:disabled {
    color: var(--_muted);
  }
  .quiet {
    box-shadow: none;
    background: none;
    color: var(--_accent);
  }
  .skeleton {
    border-radius: 6px;
    background: var(--_raised);
    animation: breathe 1.6s ease-in-out infinite;
  }
  .spinner {
    width: 16px;
    height: 16px;
    border: 2px solid var(--_border);
    border-top-color: var(--_accent);
    border-radius: 50%;
    animation: turn 0.8s linear infinite;
  }
  @keyframes breathe {
    50% {
      opacity: 0.45;
    }
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    ::before,
    ::after {
      animation-duration: 0.01ms !important;
      animation-iteration-count: 1 !important;
      transition-duration: 0s !important;
      scroll-behavior: auto !important;
    }
  }
  @media (forced-colors: active) {
    .button {
      border: 1px solid ButtonText;
    }
  }
`
