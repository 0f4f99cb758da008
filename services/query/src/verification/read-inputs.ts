import { readFile } from 'node:fs/promises'
import {
  type Checkpoint,
  type Consistency,
  checkQuorum,
  openCheckpoint,
  readConsistency,
  readPolicy,
  readVerifierKey,
  type VerifierKey,
  type WitnessPolicy,
} from '@herald/sealed-log'
import { CannotCheck, type Options } from './options.ts'
import { reasonOf, sizeOfFile } from './read-lines.ts'

export type Inputs = {
  readonly checkpoint: Checkpoint
  readonly against: Checkpoint | undefined
  readonly consistency: Consistency | undefined
}

const largestFile = 1024 * 1024

/** Reads everything but the export. @throws CannotCheck */
export async function readInputs(options: Options): Promise<Inputs> {
  const { checkpointFile, policyFile, againstFile, consistencyFile } = options
  const keys = options.keys.map(readKey)
  const policy = policyFile === undefined ? undefined : await readPolicyFile(policyFile, keys)
  const checkpoint = await readCheckpoint(checkpointFile, keys, policy)
  const against = againstFile === undefined ? undefined : await readCheckpoint(againstFile, keys, policy)
  const consistency = consistencyFile === undefined ? undefined : await readConsistencyFile(consistencyFile)
  if (against !== undefined) checkSizes(checkpoint, against, consistency, options.exportFile)
  return { checkpoint, against, consistency }
}

function readKey(text: string): VerifierKey {
  const read = readVerifierKey(text)
  if (!read.ok) throw new CannotCheck(`the verifier key cannot be used: ${read.detail}`)
  return read.key
}

/** Its logs must be those of the keys, if it names any. */
async function readPolicyFile(file: string, keys: readonly VerifierKey[]): Promise<WitnessPolicy> {
  const read = readPolicy(await readBytes(file))
  if (!read.ok) throw new CannotCheck(`the policy in ${file} cannot be used: ${read.detail}`)
  const { logs } = read.policy
  const isOther = ({ name, id }: VerifierKey) => !logs.some((log) => log.name === name && log.id.equals(id))
  const other = logs.length === 0 ? undefined : keys.find(isOther)
  if (other !== undefined) throw new CannotCheck(`the policy in ${file} is for other logs than ${other.name}`)
  return read.policy
}

async function readCheckpoint(
  file: string,
  keys: readonly VerifierKey[],
  policy: WitnessPolicy | undefined,
): Promise<Checkpoint> {
  const note = await readText(file)
  const opened = openCheckpoint(note, keys)
  if (!opened.ok) throw new CannotCheck(`the checkpoint in ${file} cannot be used: ${opened.detail}`)
  const witnessed = policy && checkQuorum(note, policy)
  if (witnessed?.ok === false) throw new CannotCheck(`the checkpoint in ${file} cannot be used: ${witnessed.detail}`)
  return opened.checkpoint
}

async function readConsistencyFile(file: string): Promise<Consistency> {
  const consistency = readConsistency(parse(await readText(file)))
  if (consistency === undefined)
    throw new CannotCheck(`${file} is not an answer of GET /change-entries/checkpoint/consistency`)
  return consistency
}

function checkSizes(
  a: Checkpoint,
  b: Checkpoint,
  consistency: Consistency | undefined,
  file: string | undefined,
): void {
  const [small, large] = [Math.min(a.size, b.size), Math.max(a.size, b.size)]
  if (consistency === undefined) {
    if (small === large || file !== undefined) return
    throw new CannotCheck(
      `checkpoints of the sizes ${small} and ${large} can only be compared with --consistency or --export`,
    )
  }
  const { from, to } = consistency
  if (from === small && to === large) return
  throw new CannotCheck(
    `the consistency proof is from ${from} to ${to}, but the checkpoints have the sizes ${small} and ${large}`,
  )
}

const readText = async (file: string) => (await readBytes(file)).toString()

async function readBytes(file: string): Promise<Buffer> {
  if ((await sizeOfFile(file)) > largestFile) throw new CannotCheck(`${file} is larger than 1 MiB`)
  return readFile(file).catch((error: Error) => {
    throw new CannotCheck(`${file} cannot be read: ${reasonOf(error)}`)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
