export { type Packed, type PackOptions, pack } from './pack.ts'
export { findPublicPackages, type Manifest, readManifest, readWorkspaces, type Workspace } from './workspaces.ts'
