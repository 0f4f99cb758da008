export { createSealedLog, createSigningKey, type ExportLine, formatExport } from './testing/sealed-log.fixture.ts'
export { createWitnessKey } from './testing/witness-key.fixture.ts'
