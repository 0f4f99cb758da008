import { closeSync, openSync } from 'node:fs'

// Preloaded by a process whose standard output is to be a file. The descriptor that is free is given to the next file.
const { HERALD_LOG_FILE } = process.env
if (HERALD_LOG_FILE) {
  closeSync(1)
  openSync(HERALD_LOG_FILE, 'a')
}
