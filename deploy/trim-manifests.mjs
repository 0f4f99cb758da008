// Removes development and optional dependencies from manifests: npm ci would install them, and an image doesn't need tools and
// test workspaces. Usage: trim-manifests.mjs FOLDER [development dependency to keep …]
import { globSync, readFileSync, writeFileSync } from 'node:fs'

const [folder, ...kept] = process.argv.slice(2)

for (const file of globSync(`${folder}/{package.json,*/*/package.json}`)) {
  const { devDependencies = {}, optionalDependencies: _node, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  const needed = Object.entries(devDependencies).filter(([name]) => kept.includes(name))
  writeFileSync(file, JSON.stringify({ ...manifest, devDependencies: Object.fromEntries(needed) }))
}
