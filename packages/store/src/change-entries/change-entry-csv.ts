import { encode } from '../wire/byte-writer.ts'
import { createDocumentWriter, csvJson, csvText, csvTime, uuid } from '../wire/document-form.ts'
import type { ChangeEntryDocument } from './change-entry-document.ts'

/** The columns in order, by name. */
const columns = {
  id: uuid('_id', 1),
  userId: uuid('userId'),
  userName: csvText('userName'),
  userEmail: csvText('userEmail'),
  entityType: csvText('entityType'),
  entityId: csvText('entityId'),
  entityTitle: csvText('entityTitle'),
  actionType: csvText('actionType'),
  changedField: csvText('changedField'),
  createdAt: csvTime('createdAt'),
  beforeState: csvJson('beforeState'),
  afterState: csvJson('afterState'),
} as const

const names = Object.keys(columns)
const lineEnd = '\r\n'

/** The first line: the names of the columns. */
export const csvHeader = encode(`${names.join(',')}${lineEnd}`)

/** An entry as a line of CSV (RFC 4180), with the states as JSON. */
export const writeCsvLine = createDocumentWriter<ChangeEntryDocument>(
  ['', ...names.slice(1).map(() => ','), lineEnd],
  Object.values(columns),
)
