export { type Consistency, compareCheckpoints, readConsistency } from './check/compare-checkpoints.ts'
export { createErasureIndex } from './check/erasure-index.ts'
export { createExportCheck } from './check/export-check.ts'
export { type Finding, type FindingCode, formatFinding } from './check/finding.ts'
export { createLeafOrder, mostDisorder } from './check/leaf-order.ts'
export { toPlainText } from './check/plain-text.ts'
export { isIndex, isLineObject, type LineObject } from './check/sealed-line.ts'
export { hashBytes, hashLeaf } from './hash/hashes.ts'
export { toCanonicalJson } from './leaf/canonical-json.ts'
export {
  type EntryLeaf,
  type ErasureLeaf,
  entryLeafData,
  erasureLeafData,
  hashUser,
  type LeafRanges,
} from './leaf/leaf-data.ts'
export { drawSalt } from './leaf/salt.ts'
export {
  type Acceptance,
  emptyRoot,
  openAcceptance,
  signAcceptance,
  subscriberOfAcceptance,
} from './note/acceptance.ts'
export { formatAddCheckpoint, readWitnessedSize } from './note/add-checkpoint.ts'
export { type Checkpoint, type OpenedCheckpoint, openCheckpoint, signCheckpoint } from './note/checkpoint.ts'
export { readCosignature } from './note/cosignature.ts'
export { keyNameOf, whyNotAnOrigin } from './note/key-name.ts'
export { readSigningKey, type SigningKey } from './note/signing-key.ts'
export { formatTlogProof } from './note/tlog-proof.ts'
export {
  formatVerifierKey,
  publicKeyOf,
  rawKeyOf,
  readVerifierKey,
  toVerifierKey,
  type VerifierKey,
} from './note/verifier-key.ts'
export { readPolicy } from './policy/read-policy.ts'
export { checkQuorum, type Witness, type WitnessPolicy } from './policy/witness-policy.ts'
export { proveConsistency, proveInclusion, rootAt } from './tree/prove.ts'
export { edgeTilesOf, type ReadTiles, type Tile, type TileAddress, tileWidth } from './tree/tiles.ts'
export { continueTree, createTree, type GrowingTree } from './tree/tree.ts'
export {
  type ConsistencyProof,
  type InclusionProof,
  verifyConsistency,
  verifyInclusion,
} from './tree/verify-proofs.ts'
