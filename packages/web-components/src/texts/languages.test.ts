import { expect, test } from '@jest/globals'
import { changeLogTexts } from './change-log-texts.ts'
import { changeLogTextsDe } from './change-log-texts-de.ts'
import { inboxTexts } from './inbox-texts.ts'
import { inboxTextsDe } from './inbox-texts-de.ts'
import { addLanguage, languageFor } from './languages.ts'

test.each([
  ['inbox', inboxTexts, inboxTextsDe],
  ['change log', changeLogTexts, changeLogTextsDe],
])('German has every text of the %s', (_, english, german) => {
  expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort())
})

test('a region falls back to its language, and an unknown language to English', () => {
  expect(languageFor('de-AT').texts.inbox?.title).toBe('Mitteilungen')
  expect(languageFor('DE')).toMatchObject({ tag: 'de' })
  expect(languageFor('fr-CA')).toEqual({ tag: 'en', texts: {} })
})

test('an added language is found, also for other regions', () => {
  addLanguage('pt-BR', { inbox: { title: 'Notificações' } })
  addLanguage('pt', { inbox: { title: 'Notificações (pt)' } })
  expect(languageFor('pt-br')).toEqual({ tag: 'pt-br', texts: { inbox: { title: 'Notificações' } } })
  expect(languageFor('pt-PT')).toMatchObject({ tag: 'pt' })
})
