export type Point = { readonly line: string; readonly x: number; readonly y: number }

const [width, height] = [860, 360] as const
const [left, right, top, bottom] = [80, 240, 20, 50] as const
const labelHeight = 15
const colours = ['#0969da', '#d1782a', '#2da44e', '#8250df', '#cf222e', '#6e7781']

/** Draws milliseconds as lines over `axis`, with a logarithmic scale. For light and dark pages. */
export function plotLines(points: readonly Point[], axis: string): string {
  const shown = points.filter(({ y }) => y > 0)
  const xs = [...new Set(shown.map(({ x }) => x))].sort((a, b) => a - b)
  const [firstX = 0, lastX = 1] = [xs[0], xs.at(-1)]
  const least = Math.floor(Math.log10(Math.min(...shown.map(({ y }) => y))))
  const greatest = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...shown.map(({ y }) => y)))))
  const toX = (x: number) => left + ((x - firstX) / (lastX - firstX || 1)) * (width - left - right)
  const toY = (y: number) => height - bottom - ((Math.log10(y) - least) / (greatest - least)) * (height - top - bottom)
  const powers = Array.from({ length: greatest - least + 1 }, (_, i) => 10 ** (least + i))
  const grid = powers.map(
    (y) => `<line x1="${left}" y1="${toY(y)}" x2="${width - right}" y2="${toY(y)}"/>
<text class="axis" x="${left - 8}" y="${toY(y) + 4}" text-anchor="end">${y} ms</text>`,
  )
  const ticks = xs.map((x) => `<text class="axis" x="${toX(x)}" y="${height - 28}" text-anchor="middle">${x}</text>`)
  const drawn = [...new Set(shown.map(({ line }) => line))].map((line, index) => {
    const own = shown.filter((point) => point.line === line).toSorted((a, b) => a.x - b.x)
    return { line, own, colour: colours[index % colours.length], labelAt: toY(own.at(-1)?.y ?? 1) + 4 }
  })
  // From the lowest one up, so that none covers another.
  let below: number = height
  for (const each of drawn.toSorted((a, b) => b.labelAt - a.labelAt)) {
    each.labelAt = Math.min(each.labelAt, below - labelHeight)
    below = each.labelAt
  }
  const lines = drawn.map(({ line, own, colour, labelAt }) => {
    const at = own.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`)
    return `<polyline points="${at.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>
<text x="${width - right + 12}" y="${labelAt.toFixed(1)}" style="fill: ${colour}">${line}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Latency in milliseconds over ${axis}">
<style>
text { font: 13px system-ui, sans-serif }
.axis { fill: #59636e }
line { stroke: #59636e; stroke-opacity: 0.3 }
@media (prefers-color-scheme: dark) { .axis { fill: #9198a1 } }
</style>
${[...grid, ...ticks, ...lines].join('\n')}
<text class="axis" x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">${axis}</text>
</svg>
`
}
