export function showNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value >= 1_000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
