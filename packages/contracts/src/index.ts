export { type ErrorCode, type ErrorEntry, errorCodes, type InputFault } from './error-codes.ts'
export { findUnsafeJson, type JsonValue } from './json-safety.ts'
