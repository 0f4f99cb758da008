import { parseArgs } from 'node:util'

export const usage = `Usage: verify.js [--policy <file>] --export <file> --checkpoint <file> --key <verifier key> [--retention-days N]
       verify.js [--policy <file>] --checkpoint <file> --key <verifier key> --against <file> [--consistency <file>]

Verifies a sealed export of a change log offline, with nothing but these files.

  --export <file>        GET /change-entries/sealed, from 0 on
  --checkpoint <file>    GET /change-entries/checkpoint: the checkpoint to hold the export against
  --key <verifier key>   <name>+<8 hex digits>+<base64>, from whoever runs the log. May be repeated during a rotation
  --retention-days N     entries that are marked as expired are accepted: the log keeps them for N days
  --policy <file>        demands of each checkpoint the quorum of witnesses that this file asks for (C2SP tlog-policy)
  --against <file>       another checkpoint of the log, such as one from the Kafka topic or one kept from earlier
  --consistency <file>   GET /change-entries/checkpoint/consistency, between the sizes of the two checkpoints

Each finding is a line: its code, the leaf index or 40-49 or -, and words. The exit code is the lowest one found:

  0  whole
  1  altered
  2  entries are missing
  3  erased, and an erasure in the log names each of them
  4  the tail is not sealed yet
  5  could not be checked
`

export type Options = {
  readonly exportFile: string | undefined
  readonly checkpointFile: string
  readonly keys: readonly string[]
  readonly retentionDays: number | undefined
  readonly policyFile: string | undefined
  readonly againstFile: string | undefined
  readonly consistencyFile: string | undefined
}

/** An argument, a file or a line that cannot be used. Its message is that of the finding. */
export class CannotCheck extends Error {}

/** @throws CannotCheck */
export function parseOptions(args: readonly string[]): Options | 'help' {
  const { values } = parse(args)
  if (values.help) return 'help'
  const { export: exportFile, checkpoint: checkpointFile, against: againstFile, consistency: consistencyFile } = values
  if (checkpointFile === undefined) throw new CannotCheck('--checkpoint is missing; see --help')
  if (values.key === undefined) throw new CannotCheck('--key is missing; see --help')
  if (exportFile === undefined && againstFile === undefined) throw new CannotCheck('--export is missing; see --help')
  if (consistencyFile !== undefined && againstFile === undefined) {
    throw new CannotCheck('--consistency needs the checkpoint to compare with: --against')
  }
  const retentionDays = parseDays(values['retention-days'])
  const { policy: policyFile, key: keys } = values
  return { exportFile, checkpointFile, keys, retentionDays, policyFile, againstFile, consistencyFile }
}

function parse(args: readonly string[]) {
  const file = { type: 'string' } as const
  const options = {
    export: file,
    checkpoint: file,
    key: { type: 'string', multiple: true },
    'retention-days': file,
    policy: file,
    against: file,
    consistency: file,
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    return parseArgs({ args: [...args], options })
  } catch (error) {
    // The first sentence says which argument it is; the others are about positional arguments.
    throw new CannotCheck(`${(error as Error).message.split('. ')[0]}; see --help`)
  }
}

function parseDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new CannotCheck('--retention-days must be a number of days, from 1')
  return Number(text)
}
