import { css, html, nothing, type TemplateResult } from 'lit'
import { sparkIcon } from './icons.ts'
import { safeAddress } from './safe-address.ts'

export type AvatarOptions = { readonly name: string; readonly image?: string | undefined; readonly isAi?: boolean }

/**
 * A person's picture, or the initials if there is none, its address is unsafe or it does not load. Hidden from screen readers,
 * because the name is next to it.
 */
export function avatar({ name, image, isAi = false }: AvatarOptions): TemplateResult {
  const source = safeAddress(image)
  return html`<span class="avatar" part="avatar" .style=${`--hue:${hueOf(name)}`} aria-hidden="true"
    ><span>${initialsOf(name)}</span>${
      source === undefined
        ? nothing
        : html`<img src=${source} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" @error=${remove} />`
    }${isAi ? html`<i class="ai">${sparkIcon()}</i>` : nothing}</span
  >`
}

/** The first letters of the first and last words. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u)
  const last = words.length > 1 ? words.at(-1) : undefined
  return (
    [words[0], last]
      .map((word) => [...(word ?? '')][0] ?? '')
      .join('')
      .toLocaleUpperCase() || '?'
  )
}

/** Derives a stable colour from a name. */
export function hueOf(name: string): number {
  let hash = 0
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return (hash * 137) % 360
}

function remove(event: Event): void {
  const image = event.currentTarget as HTMLImageElement
  image.hidden = true
}

export const avatarStyles = css`
  .avatar {
    position: relative;
    display: inline-grid;
    place-items: center;
    flex: none;
    width: var(--_avatar, 38px);
    height: var(--_avatar, 38px);
    border-radius: 50%;
    font-size: calc(var(--_avatar, 38px) * 0.36);
    font-weight: 600;
    letter-spacing: 0.01em;
    background: light-dark(oklch(0.92 0.055 var(--hue)), oklch(0.36 0.07 var(--hue)));
    color: light-dark(oklch(0.4 0.11 var(--hue)), oklch(0.92 0.06 var(--hue)));
    user-select: none;
  }
  .avatar img {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    border-radius: inherit;
    object-fit: cover;
    background: var(--_raised);
  }
  .avatar img[hidden] {
    display: none;
  }
  .avatar .ai {
    position: absolute;
    inset-inline-end: -3px;
    bottom: -3px;
    display: grid;
    place-items: center;
    width: 17px;
    height: 17px;
    border-radius: 50%;
    color: var(--_on-accent);
    background: var(--_accent);
    box-shadow: 0 0 0 2px var(--_surface);
  }
`
