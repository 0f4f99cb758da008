import type { Binary } from 'mongodb'
import { binaryHeader, type Input } from './bson.ts'
import { toWords, type Words, type WriteDocument, writeWords } from './byte-writer.ts'
import { writeCsvCell, writeCsvJsonCell } from './csv-cells.ts'
import { createOffsetReader } from './field-offsets.ts'
import { writeJsonText, writeJsonTime } from './json-values.ts'
import { copyText, textAt, writeTimestamp, writeUuidText } from './values.ts'

export type Value<Field extends string, Stored> = {
  readonly field: Field
  /** The distance of the content from the start of the value in BSON. */
  readonly skip: number
  readonly write: (input: Input, at: number) => void
  readonly isOptional: boolean
  /** The field that is written instead if this one is absent. */
  readonly otherwise?: string | undefined
  /** Only a type: the field must store values of this type. */
  readonly stores?: (value: Stored) => void
}

export type Fields<T> = { readonly texts: readonly string[]; readonly values: readonly ValueOf<T>[] }

type ValueOf<T> = { [Field in keyof T & string]: Value<Field, NonNullable<T[Field]>> }[keyof T & string]

/** A UUID, or one of several in a key, from its 16 bytes. */
export const uuid = <Field extends string>(field: Field, index = 0): Value<Field, Binary> => ({
  field,
  isOptional: false,
  skip: binaryHeader + 16 * index,
  write: writeUuidText,
})

const textValue =
  (write: Value<string, string>['write']) =>
  <Field extends string>(field: Field): Value<Field, string> => ({ field, isOptional: false, skip: textAt, write })

const timeValue =
  (write: Value<string, Date>['write'], isOptional: boolean) =>
  <Field extends string>(field: Field, otherwise?: string): Value<Field, Date> => ({
    field,
    otherwise,
    isOptional,
    skip: 0,
    write,
  })

/** Text that is JSON already, or contains nothing to escape. */
export const verbatim = textValue(copyText)
export const jsonText = textValue(writeJsonText)
/** A time, or that of another field; `null` if they are absent. */
export const jsonTime = timeValue(writeJsonTime, true)
/** A time with its name as a further field of an object, which is left out if the time is absent. */
export const jsonTimeIfSet = <Field extends string>(field: Field): Value<Field, Date> => {
  const name = toWords(`,"${field}":`)
  return {
    field,
    isOptional: true,
    skip: 0,
    write(input, at) {
      if (at === 0) return
      writeWords(name)
      writeJsonTime(input, at)
    },
  }
}
export const csvText = textValue(writeCsvCell)
export const csvJson = textValue(writeCsvJsonCell)
export const csvTime = timeValue(writeTimestamp, false)

/** Creates a function that writes a document from its BSON: its values with the texts around them. */
export function createDocumentWriter<T>(texts: readonly string[], values: readonly ValueOf<T>[]): WriteDocument {
  const fields = [...new Set(values.flatMap(({ field, otherwise = field }) => [field, otherwise]))]
  const readOffsets = createOffsetReader(fields)
  const [opening = toWords(''), ...others] = texts.map(toWords)
  const parts = values.map((value, i) => ({
    ...value,
    slot: fields.indexOf(value.field),
    otherSlot: fields.indexOf(value.otherwise ?? value.field),
    after: others[i] as Words,
  }))
  return (input, start) => {
    const offsets = readOffsets(input, start)
    writeWords(opening)
    for (let i = 0; i < parts.length; i++) {
      const { field, isOptional, slot, otherSlot, skip, write, after } = parts[i] as (typeof parts)[number]
      const at = offsets[slot] || (offsets[otherSlot] as number)
      if (at === 0 && !isOptional) throw new TypeError(`The document has no ${field}`)
      write(input, at + skip)
      writeWords(after)
    }
  }
}

/** A part of a form as a template, which may contain other parts; line breaks and indentation are left out. */
export function fields<T>(template: TemplateStringsArray, ...parts: readonly (ValueOf<T> | Fields<T>)[]): Fields<T> {
  const [opening = '', ...others] = template.map((text) => text.replaceAll(/\n */g, ''))
  const [texts, values]: [string[], ValueOf<T>[]] = [[opening], []]
  for (const [i, part] of parts.entries()) {
    const { texts: inner, values: own } = 'texts' in part ? part : { texts: ['', ''], values: [part] }
    texts.push(texts.pop() + (inner[0] as string), ...inner.slice(1))
    texts.push(texts.pop() + (others[i] as string))
    values.push(...own)
  }
  return { texts, values }
}

export function documentForm<T>(...template: Parameters<typeof fields<T>>): WriteDocument {
  const { texts, values } = fields<T>(...template)
  return createDocumentWriter(texts, values)
}
