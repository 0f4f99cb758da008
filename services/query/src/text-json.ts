// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const escaped = /["\\\u0000-\u001f]/

/**
 * Serializes a stored text as JSON. Text without characters to escape, which is nearly all, is only quoted: stored text
 * is valid UTF-8, so it contains no lone surrogates.
 */
export function textJson(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`
}
