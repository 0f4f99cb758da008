import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

const git = (...args: string[]) => spawnSync('git', ['-C', workspaceRoot, ...args], { encoding: 'utf8' })

/** Older commits have longer subjects. */
const since = '2026-11-22T14:20:00Z'
const form = /^(feat|fix|perf|refactor|test|bench|docs|style|build|ci)(\([a-z0-9-]+\))?: \S/

// A source archive has no history.
const withHistory = git('rev-parse', '--git-dir').status === 0 ? test : test.skip

withHistory('commits are named `type(scope): subject` in at most 72 characters', () => {
  const { stdout } = git('log', '--no-merges', `--since-as-filter=${since}`, '--format=%h %s')
  const named = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ line, subject: line.replace(/^\S+ /, '') }))
  const wrong = named.filter(({ subject }) => subject.length > 72 || !form.test(subject))
  expect(wrong.map(({ line }) => line)).toEqual([])
})
