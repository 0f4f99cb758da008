// Takes out of a pruned workspace's manifests what its images don't need: npm ci asks for all that they name, and development
// dependencies name tools and workspaces of tests. Usage: trim-manifests.mjs FOLDER [development dependency to keep …]
import { globSync, readFileSync, writeFileSync } from 'node:fs'

const [folder, ...kept] = process.argv.slice(2)

for (const file of globSync(`${folder}/{package.json,*/*/package.json}`)) {
  const { devDependencies = {}, optionalDependencies: _node, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  const needed = Object.entries(devDependencies).filter(([name]) => kept.includes(name))
  writeFileSync(file, JSON.stringify({ ...manifest, devDependencies: Object.fromEntries(needed) }))
}
