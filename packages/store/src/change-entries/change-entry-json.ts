import { toWords, type WriteDocument, writeWords } from '../wire/byte-writer.ts'
import { documentForm, jsonText, jsonTime, uuid, verbatim } from '../wire/document-form.ts'
import { createPageEncoder } from '../wire/page-body.ts'
import type { ChangeEntryDocument } from './change-entry-document.ts'

/** An entry of the change log in the form of specification 2.5. */
export const writeChangeEntry = documentForm<ChangeEntryDocument>`{
  "id":"${uuid('_id', 1)}",
  "user":{
    "id":"${uuid('userId')}",
    "name":${jsonText('userName')},
    "email":${jsonText('userEmail')}
  },
  "entityType":${jsonText('entityType')},
  "entityId":${jsonText('entityId')},
  "entityTitle":${jsonText('entityTitle')},
  "actionType":${jsonText('actionType')},
  "changedField":${jsonText('changedField')},
  "createdAt":${jsonTime('createdAt')},
  "beforeState":${verbatim('beforeState')},
  "afterState":${verbatim('afterState')}
}`

const lineEnd = toWords('\n')

/** An entry as a line of JSON. */
export const writeJsonLine: WriteDocument = (input, at) => {
  writeChangeEntry(input, at)
  writeWords(lineEnd)
}

/** The body of a response that contains a page of entries. */
export const changeEntryPageBody = createPageEncoder('changeEntries', writeChangeEntry)
