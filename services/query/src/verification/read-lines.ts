import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isLineObject, type LineObject } from '@herald/sealed-log'
import { CannotCheck } from './options.ts'

/** More than any line of an export: an erasure of some million entries. */
const longestLine = 64 * 1024 * 1024
const chunkBytes = 1024 * 1024
const lineEnd = 0x0a

export type NumberedLine = {
  /** From 1. */
  readonly number: number
  readonly text: string
  readonly object: LineObject
}

/** @throws CannotCheck if it is not a file that can be read twice */
export async function sizeOfFile(file: string): Promise<number> {
  const found = await stat(file).catch((error: Error) => {
    throw new CannotCheck(`${file} cannot be read: ${reasonOf(error)}`)
  })
  if (!found.isFile()) throw new CannotCheck(`${file} is not a regular file`)
  return found.size
}

/**
 * The lines of the first bytes of a file, a chunk at a time.
 *
 * @throws CannotCheck if one is not a JSON object
 */
export async function* readLines(file: string, bytes: number): AsyncGenerator<readonly NumberedLine[]> {
  if (bytes === 0) return
  let number = 0
  let rest: Buffer[] = []
  let restBytes = 0
  const stream: AsyncIterable<Buffer> = createReadStream(file, { end: bytes - 1, highWaterMark: chunkBytes })
  try {
    for await (const chunk of stream) {
      const end = chunk.lastIndexOf(lineEnd)
      rest.push(end < 0 ? chunk : chunk.subarray(0, end))
      restBytes += chunk.length
      if (restBytes > longestLine) throw new CannotCheck(`line ${number + 1} is longer than 64 MiB`)
      if (end < 0) continue
      const lines = parseLines(Buffer.concat(rest), number)
      number += lines.length
      yield lines
      rest = [chunk.subarray(end + 1)]
      restBytes = chunk.length - end - 1
    }
  } catch (error) {
    if (error instanceof CannotCheck) throw error
    throw new CannotCheck(`${file} cannot be read: ${reasonOf(error as Error)}`)
  }
  const last = Buffer.concat(rest)
  if (last.length > 0) yield parseLines(last, number)
}

function parseLines(bytes: Buffer, before: number): NumberedLine[] {
  const lines: NumberedLine[] = []
  for (let from = 0; from <= bytes.length; ) {
    const end = bytes.indexOf(lineEnd, from)
    const to = end < 0 ? bytes.length : end
    lines.push(parseLine(bytes.subarray(from, to), before + lines.length + 1))
    from = to + 1
  }
  return lines
}

function parseLine(bytes: Buffer, number: number): NumberedLine {
  const text = bytes.toString()
  const object = isUtf8(bytes) ? parseJson(text) : undefined
  if (!isLineObject(object)) throw new CannotCheck(`line ${number} is not a JSON object: ${whatItIs(text)}`)
  return { number, text, object }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function whatItIs(text: string): string {
  if (text.trim() === '') return 'it is empty'
  return text.startsWith('{') ? 'it was cut or damaged' : 'is this a sealed export?'
}

export function reasonOf({ message, code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES') return 'permission denied'
  return message.replaceAll(/\s+/g, ' ')
}
