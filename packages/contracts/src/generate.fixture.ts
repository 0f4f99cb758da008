import { writeFileSync } from 'node:fs'
import { codesPage } from './codes-page.fixture.ts'

writeFileSync(new URL('../codes.md', import.meta.url), codesPage)
