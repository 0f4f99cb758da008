/**
 * Converts the address of a git remote to the `repository.url` of a package.json, without credentials of an http address. Returns
 * undefined for a folder or any other address that is not publicly reachable.
 */
export function toRepositoryUrl(remote: string): string | undefined {
  const scp = /^(?:[^@\s/]+@)?([^:/\s]+):(?!\/)(\S+)$/.exec(remote)
  if (scp) return `git+ssh://git@${scp[1]}/${scp[2]}`
  if (!URL.canParse(remote)) return undefined
  const url = new URL(remote)
  if (url.protocol === 'ssh:') return `git+${url.href}`
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  url.username = ''
  url.password = ''
  return `git+${url.href}`
}
