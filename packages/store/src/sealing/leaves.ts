/** The leaves of all logs in recorded order, as a majority has them. */
export type LogLeaves = {
  length(subscriberId: string): Promise<number>
  /**
   * The hashes of the leaves from `from` to before `to`, 32 bytes each; they never change.
   *
   * @throws Error if one is not recorded
   */
  readHashes(subscriberId: string, from: number, to: number): Promise<Uint8Array>
}
