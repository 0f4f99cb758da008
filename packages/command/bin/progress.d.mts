export type Progress = ((line: string) => void) & {
  moves(name: string, amount: string | undefined): void
  /** Removes the line that is being rewritten, before something else writes to the terminal. */
  close(): void
}
type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number }
export function createProgress(options?: { out?: Output; now?: () => number }): Progress
