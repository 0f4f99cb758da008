import { expect, test } from '@jest/globals'
import { toRepositoryUrl } from './repository-url.ts'

test.each([
  ['https://git.example/team/herald.git', 'git+https://git.example/team/herald.git'],
  ['https://someone:secret@git.example/team/herald.git', 'git+https://git.example/team/herald.git'],
  ['ssh://git@git.example/team/herald.git', 'git+ssh://git@git.example/team/herald.git'],
  ['git@git.example:team/herald.git', 'git+ssh://git@git.example/team/herald.git'],
  ['/srv/herald.git', undefined],
  ['file:///srv/herald.git', undefined],
  ['', undefined],
])('%p becomes %p', (remote, url) => {
  expect(toRepositoryUrl(remote)).toBe(url)
})
