import { rawKeyOf, readVerifierKey, readWitnessKey, type VerifierKey } from '../note/verifier-key.ts'
import type { QuorumRule, Witness, WitnessPolicy } from './witness-policy.ts'

type ReadPolicy =
  | { readonly ok: true; readonly policy: WitnessPolicy }
  | { readonly ok: false; readonly detail: string }

/** The specification asks for room for at least so many. No more, so that readers of notes can have a limit. */
const mostOfAKind = 32
const largestPolicy = 256 * 1024
const keywords = { log: addLog, witness: addWitness, group: addGroup, quorum: addQuorum } as const
/** All octets but tab and line end below the blank, and DEL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the specification forbids them
const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f]/

type Reading = {
  readonly logs: VerifierKey[]
  readonly witnesses: Witness[]
  /** Witnesses and groups by their name. */
  readonly rules: Map<string, QuorumRule>
  /** The names that are members of a group. */
  readonly members: Set<string>
  quorum: 'none' | QuorumRule | undefined
}

class Fault extends Error {}

/** Reads a policy (C2SP tlog-policy). The detail of a failure names its line. */
export function readPolicy(bytes: Uint8Array): ReadPolicy {
  if (bytes.length > largestPolicy) return { ok: false, detail: 'Must have at most 256 KiB' }
  const reading: Reading = { logs: [], witnesses: [], rules: new Map(), members: new Set(), quorum: undefined }
  // Names are octets, which are compared as they are.
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  for (const [at, line] of lines.entries()) {
    try {
      readLine(line, reading)
    } catch (error) {
      if (error instanceof Fault) return { ok: false, detail: `Line ${at + 1}: ${error.message}` }
      throw error
    }
  }
  const { logs, witnesses, quorum } = reading
  if (quorum === undefined) return { ok: false, detail: 'A quorum line is missing; quorum none demands no cosignature' }
  return { ok: true, policy: { logs, witnesses, quorum } }
}

function readLine(line: string, reading: Reading): void {
  if (forbidden.test(line)) throw new Fault('Contains a control character; lines end with a line feed only')
  const [keyword = '', ...words] = line.split(/[ \t]+/).filter((word) => word !== '')
  if (keyword === '' || keyword.startsWith('#')) return
  if (!Object.hasOwn(keywords, keyword)) throw new Fault(`Unknown keyword ${toText(keyword)}`)
  keywords[keyword as keyof typeof keywords](words, reading)
}

function addLog([key, url, ...more]: readonly string[], { logs }: Reading): void {
  if (key === undefined || more.length > 0) throw new Fault('Must be: log <verifier key> [<URL>]')
  const read = readVerifierKey(toText(key))
  if (!read.ok) throw new Fault(`The key of the log cannot be used: ${read.detail}`)
  checkDuplicate(read.key, logs, 'log')
  if (url !== undefined) readUrl(url)
  logs.push(read.key)
  checkNumber(logs.length, 'logs')
}

function addWitness([name, key, url, ...more]: readonly string[], { witnesses, rules }: Reading): void {
  if (name === undefined || key === undefined || more.length > 0) {
    throw new Fault('Must be: witness <name> <verifier key> [<URL>]')
  }
  checkName(name, rules)
  const read = readWitnessKey(toText(key))
  if (!read.ok) throw new Fault(`The key of ${toText(name)} cannot be used: ${read.detail}`)
  const keys = witnesses.map((witness) => witness.key)
  checkDuplicate(read.key, keys, 'witness')
  const witness = { name: toText(name), key: read.key, url: url === undefined ? undefined : readUrl(url) }
  witnesses.push(witness)
  rules.set(name, witness)
  checkNumber(witnesses.length, 'witnesses')
}

function addGroup([name, least, ...names]: readonly string[], { rules, members }: Reading): void {
  if (name === undefined || least === undefined || names.length === 0) {
    throw new Fault('Must be: group <name> all|any|<number> <name>…')
  }
  checkName(name, rules)
  const found = names.map((member) => {
    const rule = rules.get(member)
    if (rule === undefined) throw new Fault(`${toText(member)} is not defined above`)
    if (members.has(member)) throw new Fault(`${toText(member)} is a member twice`)
    members.add(member)
    return rule
  })
  const all = least === 'all' ? names.length : Number(/^[1-9]\d{0,3}$/.exec(least)?.[0] ?? 0)
  const threshold = least === 'any' ? 1 : all
  if (threshold < 1 || threshold > names.length) {
    throw new Fault(`${toText(least)} must be all, any, or a number from 1 to ${names.length}`)
  }
  rules.set(name, { threshold, members: found })
  checkNumber(rules.size, 'names', 2 * mostOfAKind)
}

function addQuorum([name, ...more]: readonly string[], reading: Reading): void {
  if (name === undefined || more.length > 0) throw new Fault('Must be: quorum <name>|none')
  if (reading.quorum !== undefined) throw new Fault('A second quorum line')
  const rule = name === 'none' ? 'none' : reading.rules.get(name)
  if (rule === undefined) throw new Fault(`${toText(name)} is not defined above`)
  reading.quorum = rule
}

function checkName(name: string, rules: Reading['rules']): void {
  if (name === 'none') throw new Fault('none is not a name')
  if (rules.has(name)) throw new Fault(`${toText(name)} is defined twice`)
}

/** The name of a key does not count. */
function checkDuplicate({ key }: VerifierKey, others: readonly VerifierKey[], kind: string): void {
  if (others.some((other) => rawKeyOf(other.key).equals(rawKeyOf(key))))
    throw new Fault(`A ${kind} with this key is defined twice`)
}

function checkNumber(count: number, kind: string, most = mostOfAKind): void {
  if (count > most) throw new Fault(`More than ${most} ${kind}`)
}

function readUrl(octets: string): string {
  const text = toText(octets)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new Fault('A URL must begin with https:// or http://')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Fault('A URL must have no user, query or fragment')
  }
  return url.href.replace(/\/+$/, '')
}

const toText = (octets: string) => Buffer.from(octets, 'latin1').toString()
