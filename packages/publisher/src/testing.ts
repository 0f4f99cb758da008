export { type ContractOptions, verifyPublisher } from './testing/contract-test.ts'
export { expectValidEvent } from './testing/expect-valid-event.ts'
export { createRecordingProducer, type RecordingProducer } from './testing/recording-producer.ts'
