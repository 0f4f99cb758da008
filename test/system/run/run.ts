/** Everything that the setup has started, for the teardown, which runs in the same process. */
export const run: { herald?: { stop(): Promise<void> } } = {}
