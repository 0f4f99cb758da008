import { expect, test } from '@jest/globals'

const { createProgress } = await import('../bin/progress.mjs')

function createOutput(terminal: { isTTY?: boolean; columns?: number } = {}) {
  const written: string[] = []
  let time = 0
  const progress = createProgress({
    out: { ...terminal, write: (text) => written.push(text) },
    now: () => time,
  })
  return {
    progress,
    written,
    wait: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

test('stamps each step with the seconds since the start', () => {
  const { progress, written, wait } = createOutput()
  progress('One.')
  wait(12_345)
  progress('Two.')
  expect(written).toEqual(['   0.0 s  One.\n', '  12.3 s  Two.\n'])
})

test('prints progress at most every five seconds without a terminal', () => {
  const { progress, written, wait } = createOutput()
  for (let packages = 0; packages < 25; packages += 1) {
    progress.moves('Installing', `${packages} of 25 packages`)
    wait(500)
  }
  expect(written).toEqual(['   5.0 s  Installing: 10 of 25 packages\n', '  10.0 s  Installing: 20 of 25 packages\n'])
})

test('rewrites one line on a terminal and removes it before the next step', () => {
  const { progress, written } = createOutput({ isTTY: true, columns: 60 })
  progress.moves('Fetching a', '1 jars')
  progress.moves('Fetching b', '2 MB')
  progress.moves('Fetching a', undefined)
  progress('Done.')
  const remove = '\r\u001b[2K'
  expect(written).toEqual([
    '   0.0 s  Fetching a: 1 jars',
    remove,
    '   0.0 s  Fetching a: 1 jars; Fetching b: 2 MB',
    remove,
    '   0.0 s  Fetching b: 2 MB',
    remove,
    '   0.0 s  Done.\n',
  ])
})

test('truncates a line that would wrap', () => {
  const { progress, written } = createOutput({ isTTY: true, columns: 20 })
  progress.moves('Fetching kafka', '41 jars, 57.2 MB')
  expect(written).toEqual(['   0.0 s  Fetching '])
})
