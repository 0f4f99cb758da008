import { createDocumentWriter, csvJson, csvText, csvTime, toWords, uuid } from '@herald/mongo'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'

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

export const csvHeader = toWords(`${names.join(',')}${lineEnd}`)

/** An entry as a line of CSV (RFC 4180), with the states as JSON. */
export const writeCsvLine = createDocumentWriter<ChangeEntryDocument>(
  ['', ...names.slice(1).map(() => ','), lineEnd],
  Object.values(columns),
)
