import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

const paths = globSync(['*.md', '{.github,deploy,examples,packages,services,test}/**/*.md'], {
  cwd: workspaceRoot,
  exclude: ['**/node_modules'],
})
const textOf = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8')
const withoutCode = (text: string) => text.replaceAll(/^ *(```+)[\s\S]*?^ *\1$|``?[^`\n]+``?/gm, '')

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsIn(path: string): Set<string> {
  const seen = new Map<string, number>()
  const headings = textOf(path)
    .replaceAll(/^ *(```+)[\s\S]*?^ *\1$/gm, '')
    .matchAll(/^#+ +(.*)$/gm)
  return new Set(
    Array.from(headings, ([, title = '']) => {
      const slug = title
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
        .replaceAll(' ', '-')
      const count = seen.get(slug) ?? 0
      seen.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    }),
  )
}

/** The targets of links and pictures, without those on other hosts. */
function linksIn(path: string): string[] {
  const targets = withoutCode(textOf(path)).matchAll(/\]\(([^()\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)
  return Array.from(targets, ([, inline, reference]) => inline ?? reference ?? '').filter((to) => !/^[a-z]+:/.test(to))
}

function resolves(path: string, target: string): boolean {
  const [file = '', anchor] = target.split('#')
  const to = file === '' ? path : normalize(join(dirname(path), file))
  return existsSync(join(workspaceRoot, to)) && (anchor === undefined || anchorsIn(to).has(anchor))
}

test('every link between documents leads to a file, and to a heading if it names one', () => {
  const links = paths.flatMap((path) => linksIn(path).map((target) => [path, target] as const))
  expect(links.length).toBeGreaterThan(200)
  expect(links.filter(([path, target]) => !resolves(path, target))).toEqual([])
})

test('deploy/metrics.md lists every metric, and no other', () => {
  const sources = globSync('{packages/{change-log,feed,kafka,mongo,persons,runtime,store},services/*}/src/**/*.ts', {
    cwd: workspaceRoot,
  })
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .map(textOf)
    .join('\n')
  const defined = Array.from(sources.matchAll(/'(herald_[a-z_]+)'/g), ([, name]) => name)
  const listed = Array.from(textOf('deploy/metrics.md').matchAll(/`(herald_[a-z_]+)/g), ([, name]) => name)
  expect([...new Set(listed)].sort()).toEqual([...new Set(defined)].sort())
})

test.each([
  ['README.md', 150],
  ...paths.filter((path) => /^(packages|services)\/[^/]+\/README\.md$/.test(path)).map((path) => [path, 120] as const),
])('%s has at most %i lines', (path, most) => {
  expect(textOf(path).trimEnd().split('\n').length).toBeLessThanOrEqual(most)
})
