import { readFileSync } from 'node:fs'
import type {
  changeEntrySchema,
  createdNotificationSchema,
  createNotificationSchema,
  ErrorCode as ErrorCodeOfContract,
  notificationSchema,
} from '@herald/contracts'
import { expect, test } from '@jest/globals'
import type { z } from 'zod'
import type { ChangeEntry, CreatedNotification, CreateNotification, Notification, Problem } from './contract-types.ts'
import { typescriptOfContract } from './typescript-of-contract.fixture.ts'

// How a line is broken is the formatter's matter.
const words = (text: string) => text.replaceAll(/[\s;]+/g, ' ').replaceAll(/([{(|[]) | (?=[})|\]])/g, '$1')

test('the types are those of the contract: npm run generate makes them anew', async () => {
  const kept = readFileSync(new URL('contract-types.ts', import.meta.url), 'utf8')
  expect(words(kept)).toBe(words(await typescriptOfContract()))
})

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

test('they say what the schemas infer', () => {
  // The compiler is who checks here.
  const same: [
    Same<Notification, z.infer<typeof notificationSchema>>,
    Same<CreatedNotification, z.infer<typeof createdNotificationSchema>>,
    Same<CreateNotification, z.input<typeof createNotificationSchema>>,
    Same<ChangeEntry, z.infer<typeof changeEntrySchema>>,
    Same<Problem['code'], ErrorCodeOfContract>,
  ] = [true, true, true, true, true]
  expect(same).not.toContain(false)
})
