export function refusal(process: { platform: string; versions: { node: string } }): string | undefined
export function findNode(
  root: string,
  process: {
    platform: string
    arch: string
    execPath: string
    features: { typescript?: unknown }
    versions: { node: string }
  },
): { file: string; problem?: undefined } | { file?: undefined; problem: string }
