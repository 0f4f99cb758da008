import type { AsyncApiDocument } from '@herald/contracts'
import { escapeHtml, proseHtml } from './html.ts'
import { type Schema, schemaRows } from './schema-rows.ts'

type Example = { readonly name: string; readonly headers: Schema; readonly payload: unknown }
type Message = Schema & {
  readonly title: string
  readonly summary: string
  readonly headers: Schema
  readonly payload: Schema
  readonly examples?: readonly Example[]
}
type Channel = {
  /** `null` if the settings name the topics. */
  readonly address: string | null
  readonly title: string
  readonly description?: string
  readonly messages: Record<string, { $ref: string }>
}

/** The content security policy of the page, which has no scripts. */
export const eventsPagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Renders the AsyncAPI document as HTML. URLs are relative, like those of the other page. */
export function createEventsPage(document: AsyncApiDocument): string {
  const { title, description } = document.info as { title: string; description: string }
  const channels = Object.entries(document.channels) as unknown as [string, Channel][]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="events.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphsHtml(description)}
<p><a href="../asyncapi.json">AsyncAPI document</a> · <a href="../docs">HTTP API</a></p>
<nav aria-label="Topics"><ul>
${channels.map(([name, { address, title }]) => `<li><a href="#${address ?? name}">${escapeHtml(address ?? title)}</a></li>`).join('\n')}
</ul></nav>
${channels.map(([name, channel]) => channelHtml(name, channel, document)).join('\n')}
</main>
</body>
</html>
`
}

const paragraphsHtml = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((paragraph) => `<p>${proseHtml(paragraph)}</p>`)
    .join('\n')

function channelHtml(
  name: string,
  { address, title, description = '', messages }: Channel,
  { components }: AsyncApiDocument,
): string {
  const shown = Object.keys(messages).map((message) =>
    messageHtml(components.messages[message] as Message, components.schemas),
  )
  return `<section id="${address ?? name}">
<h2>${escapeHtml(title)}${address === null ? '' : ` <code>${escapeHtml(address)}</code>`}</h2>
${paragraphsHtml(description)}
${shown.join('\n')}
</section>`
}

function messageHtml(
  { title, summary, contentType, headers, payload, examples = [] }: Message,
  schemas: Schema,
): string {
  return `<article>
<h3>${escapeHtml(title)}</h3>
<p>${proseHtml(summary)} Content type <code>${escapeHtml(String(contentType))}</code>.</p>
${tableHtml('Headers', headers)}
${tableHtml('Value', withReferences(payload, schemas))}
${examples.map(exampleHtml).join('\n')}
</article>`
}

/** Replaces the references of a schema by the referenced schemas. */
function withReferences(schema: Schema, schemas: Schema): Schema {
  const target = typeof schema.$ref === 'string' ? schemas[schema.$ref.split('/').at(-1) ?? ''] : undefined
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  if (target) return target as Schema
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, one]) => [name, withReferences(one, schemas)])),
  }
}

function tableHtml(caption: string, schema: Schema): string {
  const rows = schemaRows(schema)
  if (rows.length === 0) return ''
  const lines = rows.map(
    ({ path, type, isRequired, notes }) =>
      `<tr><th scope="row"><code>${escapeHtml(path)}</code></th><td>${escapeHtml(type)}</td><td>${isRequired ? 'required' : ''}</td><td>${proseHtml(notes.join('; '))}</td></tr>`,
  )
  return `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><tbody>
${lines.join('\n')}
</tbody></table></div>`
}

function exampleHtml({ name, headers, payload }: Example): string {
  const text = `${Object.entries(headers)
    .map(([header, value]) => `${header}: ${value}`)
    .join('\n')}\n\n${JSON.stringify(payload, null, 2)}`
  return `<details><summary>Example: ${escapeHtml(name)}</summary><pre tabindex="0">${escapeHtml(text)}</pre></details>`
}
