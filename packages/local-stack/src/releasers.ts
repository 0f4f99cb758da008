export type Releasers = ReturnType<typeof createReleasers>

/** Collects release functions; `releaseAll` calls them last in, first out, and continues after errors. */
export function createReleasers() {
  const releasers: (() => Promise<void>)[] = []

  return {
    add: (release: () => Promise<void>) => void releasers.push(release),
    async releaseAll() {
      const failures: unknown[] = []
      for (let release = releasers.pop(); release; release = releasers.pop()) {
        await release().catch((error) => failures.push(error))
      }
      if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be stopped.')
    },
  }
}
