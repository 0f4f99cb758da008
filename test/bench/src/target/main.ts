/** The entry point of the image: `main.ts SETTINGS.json`. */
import process from 'node:process'
import { printTarget } from './print-target.ts'

const [, , file] = process.argv
if (file === undefined) {
  console.error('Usage: main.ts SETTINGS.json')
  process.exit(1)
}
process.exit(
  await printTarget(file).catch((error: Error) => {
    console.error(error.message)
    return 1
  }),
)
