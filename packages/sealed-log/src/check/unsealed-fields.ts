import { isLineObject, type LineObject } from './sealed-line.ts'

const ofLine = ['leafIndex', 'leafHash', 'salt', 'userSalt', 'userHash', 'entry', 'gone', 'erasure']
const ofUser = ['id', 'name', 'email']
const ofEntry = [
  ...['id', 'user', 'entityType', 'entityId', 'entityTitle', 'actionType', 'changedField', 'createdAt'],
  ...['beforeState', 'afterState'],
]
const ofErasure = ['eventId', 'time', 'leafIndexes']

const most = 20

/** Collects the names of fields that are not part of a leaf, so that nobody takes them for verified. */
export function createUnsealedFields() {
  const found = new Set<string>()
  const collect = (value: unknown, known: readonly string[], prefix: string) => {
    if (!isLineObject(value)) return
    for (const name in value) if (!known.includes(name) && found.size < most) found.add(`${prefix}${name}`)
  }
  return {
    add(line: LineObject) {
      const { entry, erasure } = line
      collect(line, ofLine, '')
      collect(entry, ofEntry, 'entry.')
      collect(isLineObject(entry) ? entry.user : undefined, ofUser, 'entry.user.')
      collect(erasure, ofErasure, 'erasure.')
    },
    names: (): readonly string[] => [...found],
  }
}
