export { toCanonicalJson } from './leaf/canonical-json.ts'
export { hashLeaf } from './leaf/hash-leaf.ts'
export {
  type EntryLeaf,
  type ErasureLeaf,
  entryLeafData,
  erasureLeafData,
  hashUser,
  type LeafRanges,
} from './leaf/leaf-data.ts'
export { drawSalt } from './leaf/salt.ts'
