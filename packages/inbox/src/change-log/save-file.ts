/** Lets the browser keep a blob as a file. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has begun by then; an address taken back at once would end it in some browsers.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
