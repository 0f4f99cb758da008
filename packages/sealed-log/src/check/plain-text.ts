/** Control, format, unassigned and private characters, lone surrogates, and the separators of lines and paragraphs. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Writes characters that steer a terminal or hide text as escapes. Line ends stay. */
export function toPlainText(text: string): string {
  return text.replaceAll(unprintable, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
