/** Matches files that no image may contain: sources, tests and tools. */
export const superfluous =
  /^\/herald\/((packages|services)\/[^/]+\/(src|test)|node_modules\/(typescript|turbo|jest|testcontainers))$/
