import {
  createPageEncoder,
  documentForm,
  jsonText,
  jsonTime,
  toWords,
  uuid,
  verbatim,
  type WriteDocument,
  writeWords,
} from '@herald/mongo'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'

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

export const writeJsonLine: WriteDocument = (input, at) => {
  writeChangeEntry(input, at)
  writeWords(lineEnd)
}

export const changeEntryPageBody = createPageEncoder('changeEntries', writeChangeEntry)
