import { createDocumentReader, type FieldReader, startOfBinary } from './document-reader.ts'

/**
 * Where the values of a document lie in its bytes, for who writes them on without making anything of them: of an id its 16
 * bytes, of a time its milliseconds as 64 bits (little-endian), of a text its bytes in UTF-8, behind their count as 32 bits,
 * in which a zero at the end is counted. 0 stands for what is absent.
 */
export type DocumentPlaces<Field extends string> = Readonly<Record<Field, number>>

type Fields<Field extends string> = {
  readonly ids: readonly Field[]
  readonly texts: readonly Field[]
  readonly times: readonly Field[]
  /** Where the id itself begins in the key. */
  readonly idInKey: number
}

/** @returns a finder; what it returns its next call overwrites, for millions of documents pass here */
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
