import { isFullRun } from '@herald/jest-preset/full-run'

const runs = (usual: number) => Number(process.env.HERALD_MODEL_RUNS ?? usual)

/** Each run is another world, from another seed. */
export const feedSizes = isFullRun ? { runs: runs(30), operations: 200 } : { runs: runs(5), operations: 60 }

/** The worlds of a run go on side by side, because an erasure is carried out within some seconds. */
export const erasureSizes = isFullRun
  ? { runs: Math.ceil(runs(30) / 10), worlds: 8, operations: 30 }
  : { runs: Math.ceil(runs(1) / 10), worlds: 4, operations: 12 }
