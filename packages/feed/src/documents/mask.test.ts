import { formatTimestamp } from '@herald/contracts'
import { toKey } from '@herald/mongo'
import { bytesOf, uuid } from '@herald/mongo/testing'
import type { FindErased } from '@herald/persons'
import { expect, test } from '@jest/globals'
import { notificationJson } from '../json/notification-json.ts'
import { erasedIn, maskingUpdate, maskNotification } from './mask.ts'
import { maskDigest } from './mask-digest.ts'
import { documentOf, notification } from './notification.fixture.ts'
import type { NewNotification, NotificationDocument } from './notification-document.ts'

const [author, subject, other] = [uuid(11), uuid(12), uuid(13)]
const metadata = '{"mention":{"mentionerName":"Ada","snippet":"Look","anchorId":"a"},"add":{"b":1},"edit":{}}'
const given = notification({
  actor: { id: author, name: 'Ada', image: 'https://images.example/ada.png' },
  subjectId: subject,
  metadata,
})
const { createdAt, subscriberId, id } = given
const erasures = {
  [author]: { pseudonym: uuid(21), until: new Date(createdAt.getTime() + 60_000) },
  [subject]: { pseudonym: uuid(22), until: new Date(createdAt.getTime() + 120_000) },
}
const among =
  (persons: readonly string[]): FindErased =>
  (_, personId) =>
    persons.includes(personId) ? erasures[personId] : undefined

const shownOf = (document: NotificationDocument) => JSON.parse(notificationJson(bytesOf(document)).toString())

const forms: Readonly<Record<string, (find: FindErased) => unknown>> = {
  'a notification that is stored later': (find) =>
    shownOf(documentOf(maskNotification(given, erasedIn(given, find)) as NewNotification)),
  'a stored notification': (find) => {
    const roles = { author: find(subscriberId, author), subject: find(subscriberId, subject) }
    const { $set, $max } = maskingUpdate({ metadata }, roles)
    return shownOf({ ...documentOf(given), ...$set, ...$max })
  },
  'a digest that is not announced yet': (find) => {
    const keys = {
      _id: toKey(subscriberId, other, uuid(14), uuid(15)),
      notifications: [toKey(subscriberId, other, id)],
    }
    const digest = maskDigest({ ...keys, data: JSON.stringify({ latest: shownOf(documentOf(given)) }) }, find)
    return JSON.parse(digest?.data ?? '').latest
  },
}

const masked = {
  author: {
    actorId: uuid(21),
    actor: { id: uuid(21), name: '', image: '' },
    metadata: { mention: { mentionerName: '', snippet: '', anchorId: 'a' }, add: { b: 1 }, edit: {} },
  },
  subject: { subjectId: uuid(22) },
}
const erasedAt = (person: string) => ({ updatedAt: formatTimestamp(erasures[person]?.until ?? new Date(0)) })

test.each(Object.entries(forms))('an erasure changes the same fields of %s', (_, mask) => {
  const before = shownOf(documentOf(given))
  expect(mask(among([]))).toStrictEqual(before)
  expect(mask(among([author]))).toStrictEqual({ ...before, ...masked.author, ...erasedAt(author) })
  expect(mask(among([subject]))).toStrictEqual({ ...before, ...masked.subject, ...erasedAt(subject) })
  const both = { ...before, ...masked.author, ...masked.subject, ...erasedAt(subject) }
  expect(mask(among([author, subject]))).toStrictEqual(both)
})
