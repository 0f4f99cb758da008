import type { Result } from '../figure.ts'
import type { History } from './history.ts'
import { plot } from './plot.ts'
import { plotLines } from './plot-lines.ts'

type Parts = Readonly<Record<string, { readonly figures: readonly Result[] }>>

const axes: Readonly<Record<string, string>> = {
  knee: '% of capacity',
  backlog: '% of the backlog stored',
}

/** SVG by file name: the figures against their goals, those of the mixed load alone, and a picture for each group of points. */
export function drawPictures(parts: Parts, history: History): Record<string, string> {
  const figures = Object.values(parts).flatMap((part) => part.figures)
  const lines = Object.entries(axes).flatMap(([picture, axis]) => {
    const points = figures.flatMap(({ point, summary }) =>
      point?.picture === picture ? [{ ...point, y: summary.median }] : [],
    )
    return points.length === 0 ? [] : [[picture, plotLines(points, axis)] as const]
  })
  return {
    results: plot(figures, history),
    ...(parts.mixed && { mixed: plot(parts.mixed.figures, history) }),
    ...Object.fromEntries(lines),
  }
}
