/** Makes the browser download a blob as a file. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Revoking the URL at once would abort the download in some browsers.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
