export { createSealedLog, createSigningKey, type ExportLine, formatExport } from './testing/sealed-log.fixture.ts'
