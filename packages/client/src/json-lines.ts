/** Parses newline-delimited JSON from text that may be split anywhere. */
export async function* jsonLines<T>(text: AsyncIterable<string>): AsyncGenerator<T> {
  let rest = ''
  for await (const part of text) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line)
  }
  if (rest !== '') yield JSON.parse(rest)
}
