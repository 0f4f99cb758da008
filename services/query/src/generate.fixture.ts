import { writeFileSync } from 'node:fs'
import { currentPage, pageFile } from './settings-page.fixture.ts'

writeFileSync(pageFile, currentPage)
