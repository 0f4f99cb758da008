import { writeFileSync } from 'node:fs'
import { typescriptOfContract } from './typescript-of-contract.fixture.ts'

writeFileSync(new URL('contract-types.ts', import.meta.url), await typescriptOfContract())
