const maxCauses = 5
const maxErrors = 5
const maxText = 4_000

/** An error without other properties, which may be whole packets. Messages of MongoDB quote documents and are left out. */
export function loggedError(error: Error, causes: number = maxCauses): object {
  const { code, codeName, cause } = error as { code?: unknown; codeName?: unknown; cause?: unknown }
  const isFromServer = serverErrors.test(error.name) || typeof codeName === 'string'
  return {
    type: error.name,
    message: isFromServer ? 'Refused by MongoDB' : cut(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // The name that MongoDB's server has for the code.
    ...(typeof codeName === 'string' ? { codeName } : {}),
    ...(typeof error.stack === 'string' ? { stack: cut(isFromServer ? framesOf(error.stack) : error.stack) } : {}),
    ...(cause instanceof Error && causes > 0 ? { cause: loggedError(cause, causes - 1) } : {}),
    ...(error instanceof AggregateError && causes > 0
      ? { errors: error.errors.slice(0, maxErrors).map((item) => loggedError(toError(item), causes - 1)) }
      : {}),
  }
}

const serverErrors = /^Mongo(Server|BulkWrite|ClientBulkWrite\w*|WriteConcern)Error$/

/** A stack begins with the message. */
function framesOf(stack: string): string {
  const lines = stack.split('\n')
  return lines.slice(lines.findIndex((line) => /^ {4}at /.test(line))).join('\n')
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`Thrown, but not an error: ${typeof thrown}`)
}

export function cut(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}
