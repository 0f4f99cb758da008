import { readdirSync, readFileSync } from 'node:fs'

/** Test files with servers below a folder that contain a text, so that a list of exceptions can be compared with them. */
export const testFilesWith = (folder: string, text: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.int.test.ts') && text.test(readFileSync(`${folder}${file}`, 'utf8')))
    .toSorted()
