import { deriveSubscriberId, isUuid } from '@herald/contracts'
import { z } from 'zod'
import { defineCommand, exitCodes } from './command-line/command.ts'
import { textValue } from './command-line/option.ts'

export const deriveSubscriberCommand = defineCommand({
  name: 'derive-subscriber',
  summary: 'Prints the UUID that a mapping with `derive: true` makes of a subscriber, for whoever makes tokens',
  argument: { value: 'TEXT', description: 'The value of the column, as text' },
  options: z.object({ argument: textValue }),
  async run({ argument: text }, { print }) {
    print(isUuid(text) ? text.toLowerCase() : deriveSubscriberId(text))
    return exitCodes.done
  },
})
