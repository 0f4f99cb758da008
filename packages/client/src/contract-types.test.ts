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

// Ignores line breaks, which depend on the formatter.
const words = (text: string) => text.replaceAll(/[\s;]+/g, ' ').replaceAll(/([{(|[]) | (?=[})|\]])/g, '$1')

test('the types match the contract; npm run generate updates them', async () => {
  const kept = readFileSync(new URL('contract-types.ts', import.meta.url), 'utf8')
  expect(words(kept)).toBe(words(await typescriptOfContract()))
})

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

test('the types equal those inferred from the schemas', () => {
  // Checked by the compiler.
  const same: [
    Same<Notification, z.infer<typeof notificationSchema>>,
    Same<CreatedNotification, z.infer<typeof createdNotificationSchema>>,
    Same<CreateNotification, z.input<typeof createNotificationSchema>>,
    Same<ChangeEntry, z.infer<typeof changeEntrySchema>>,
    Same<Problem['code'], ErrorCodeOfContract>,
  ] = [true, true, true, true, true]
  expect(same).not.toContain(false)
})
