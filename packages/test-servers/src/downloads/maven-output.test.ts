import { expect, test } from '@jest/globals'
import { countDownloads } from './maven-output.ts'

test('counts downloads and their size in output of any chunk size', () => {
  const seen: string[] = []
  const read = countDownloads((amount) => seen.push(amount))
  const output = `[INFO] Scanning for projects...
Downloading from central: a/kafka_2.13-4.1.0.pom
Downloaded from central: a/kafka_2.13-4.1.0.pom (9.2 kB at 1.0 MB/s)
[INFO] Downloaded from central: a/kafka_2.13-4.1.0.jar (7.2 MB at 12 MB/s)
Downloaded from central: b/log4j-api-2.24.3.jar (349 kB at 4.0 MB/s)
`
  for (let at = 0; at < output.length; at += 7) read(output.slice(at, at + 7))
  expect(seen).toEqual(['1 files, 0.0 MB', '2 files, 7.2 MB', '3 files, 7.6 MB'])
})
