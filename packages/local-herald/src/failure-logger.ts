/** Reports what could not be stopped; successful releases are not reported. */
export const failureLogger = {
  info() {},
  error: (fields: unknown, message?: string) => console.error(message, fields),
}

/** Longer than a service may take before it is killed. */
export const stopLimitMs = 40_000
