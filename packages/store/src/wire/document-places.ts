import { createDocumentReader, type FieldReader, startOfBinary } from './document-reader.ts'

/**
 * The offsets of a document's values in its bytes, for writers that copy them without decoding: an id is 16 bytes, a
 * time is its milliseconds as 64 bits (little-endian), and a text is its UTF-8 bytes, preceded by their number as 32
 * bits, which includes a terminating zero. The offset of an absent value is 0.
 */
export type DocumentPlaces<Field extends string> = Readonly<Record<Field, number>>

type Fields<Field extends string> = {
  readonly ids: readonly Field[]
  readonly texts: readonly Field[]
  readonly times: readonly Field[]
  /** The offset of the id in the key. */
  readonly idInKey: number
}

/**
 * @returns a function that finds the offsets; each call overwrites the result of the previous one, because millions of
 * documents are processed
 */
export function createPlaceFinder<Field extends string>({ ids, texts, times, idInKey }: Fields<Field>) {
  const names = ['id', ...ids, ...texts, ...times] as ('id' | Field)[]
  const places = Object.fromEntries(names.map((name) => [name, 0])) as Record<'id' | Field, number>
  const place =
    (name: 'id' | Field, offset: number): FieldReader<typeof places> =>
    (target, _, at) => {
      target[name] = at + offset
    }
  const read = createDocumentReader<typeof places>({
    _id: place('id', startOfBinary(idInKey)),
    ...Object.fromEntries(ids.map((name) => [name, place(name, startOfBinary(0))])),
    ...Object.fromEntries(texts.map((name) => [name, place(name, 4)])),
    ...Object.fromEntries(times.map((name) => [name, place(name, 0)])),
  })
  return (document: Buffer): DocumentPlaces<'id' | Field> => {
    for (const name of times) places[name] = 0
    return read(document, places)
  }
}
