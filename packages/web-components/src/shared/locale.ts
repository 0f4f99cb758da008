/** The chosen language, or that of the element or its nearest ancestor with `lang`, otherwise the browser's. */
export function localeOf(element: HTMLElement, chosen: string | undefined): string {
  if (chosen) return supported(chosen)
  for (let node: Node | null = element; node; node = parentOf(node)) {
    if (node instanceof HTMLElement && node.lang !== '') return supported(node.lang)
  }
  return supported(navigator.language)
}

function parentOf(node: Node): Node | null {
  return node instanceof ShadowRoot ? node.host : node.parentNode
}

function supported(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en'
  } catch {
    return 'en'
  }
}
