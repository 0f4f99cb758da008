import process from 'node:process'
import { verify } from './verification/verify.ts'

// If nobody reads the findings any more, the result is unknown. Without this, the exit code would be that of an altered log.
process.stdout.on('error', () => process.exit(5))

process.exitCode = await verify(process.argv.slice(2), { output: process.stdout, notes: process.stderr })
