import { writeFileSync } from 'node:fs'
import { codesPage } from './code-tables.fixture.ts'

writeFileSync(new URL('../codes.md', import.meta.url), codesPage)
