/** Waits until a condition holds; the limit of the test is the limit. For packages that need no servers. */
export function until(holds: () => boolean | Promise<boolean>): Promise<void>
