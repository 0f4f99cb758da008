// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON escapes
const escaped = /["\\\u0000-\u001f]/

/**
 * A stored text as JSON. What needs no escaping, as nearly all does, is written as it is: it has come through UTF-8, so that
 * no surrogate stands alone in it.
 */
export function textJson(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`
}
