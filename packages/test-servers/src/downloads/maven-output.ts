const downloaded = /\bDownloaded from \S+: \S+ \(([\d.]+) (B|kB|MB)\b/
const megabytes = { B: 1e-6, kB: 1e-3, MB: 1 } as const

/** Parses Maven's output and reports the number and size of the downloads so far, such as `41 files, 57.2 MB`. */
export function countDownloads(onCount: (amount: string) => void) {
  let rest = ''
  let files = 0
  let size = 0
  return (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, amount, unit] = downloaded.exec(line) ?? []
      if (amount === undefined) continue
      files += 1
      size += Number(amount) * megabytes[unit as keyof typeof megabytes]
      onCount(`${files} files, ${size.toFixed(1)} MB`)
    }
  }
}
