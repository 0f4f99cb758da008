/** The larger of two offsets; `Math.max` does not take bigints. */
export function laterOffset(one: bigint, other: bigint): bigint {
  if (one > other) return one
  return other
}
