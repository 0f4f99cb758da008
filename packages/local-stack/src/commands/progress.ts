/** Says what is going on: one line per step, with the seconds since the start. */
export function createProgress() {
  const began = performance.now()
  return (line: string) => {
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${seconds.padStart(6)} s  ${line}`)
  }
}

export type Progress = ReturnType<typeof createProgress>
