import type { AsyncApiDocument } from '@herald/contracts'

type Schema = Readonly<Record<string, unknown>>

type Message = Schema & {
  readonly title: string
  readonly summary: string
  readonly contentType: string
  readonly headers: Schema
  readonly payload: Schema
  readonly examples?: readonly { readonly name: string; readonly headers: Schema; readonly payload: unknown }[]
}
type Channel = {
  /** `null` if the settings name the topics. */
  readonly address: string | null
  readonly title: string
  readonly description?: string
  readonly messages: Readonly<Record<string, unknown>>
}

/** Renders the AsyncAPI document as HTML. URLs are relative, like those of the other page. */
export function createEventsPage({ info, channels, components: { messages, schemas } }: AsyncApiDocument): string {
  const { title, description } = info as { title: string; description: string }
  const topics = Object.entries(channels as unknown as Record<string, Channel>).map(([name, channel]) => ({
    ...channel,
    id: channel.address ?? name,
  }))
  const messageOf = (name: string) => messageHtml((messages as Record<string, unknown>)[name] as Message, schemas)
  const links = topics.map(({ id, address, title }) => `<li><a href="#${id}">${escapeHtml(address ?? title)}</a></li>`)
  const sections = topics.map(({ id, address, title, description = '', messages }) => {
    const code = address === null ? '' : ` <code>${escapeHtml(address)}</code>`
    const parts = [`<h2>${escapeHtml(title)}${code}</h2>`, paragraphsHtml(description)]
    return `<section id="${id}">\n${[...parts, ...Object.keys(messages).map(messageOf)].join('\n')}\n</section>`
  })
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
${links.join('\n')}
</ul></nav>
${sections.join('\n')}
</main>
</body>
</html>
`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
}

/** Escapes a text, and shows text between backticks as `code`. */
export function proseHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

const paragraphsHtml = (text: string) =>
  text.replaceAll(/^.+$/gm, (paragraph) => `<p>${proseHtml(paragraph)}</p>`).replaceAll(/\n+/g, '\n')

function messageHtml({ title, summary, contentType, headers, payload, examples = [] }: Message, schemas: Schema) {
  return `<article>
<h3>${escapeHtml(title)}</h3>
<p>${proseHtml(summary)} Content type <code>${escapeHtml(contentType)}</code>.</p>
${tableHtml('Headers', headers, schemas)}
${tableHtml('Value', payload, schemas)}
${examples.map(({ name, ...example }) => exampleHtml(name, example)).join('\n')}
</article>`
}

function tableHtml(caption: string, schema: Schema, schemas: Schema): string {
  const rows = rowsHtml(schema, schemas)
  if (rows.length === 0) return ''
  return `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><tbody>
${rows.join('\n')}
</tbody></table></div>`
}

function exampleHtml(name: string, { headers, payload }: { headers: Schema; payload: unknown }): string {
  const fields = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
  const text = [...fields, '', JSON.stringify(payload, null, 2)].join('\n')
  return `<details><summary>Example: ${escapeHtml(name)}</summary><pre tabindex="0">${escapeHtml(text)}</pre></details>`
}

/** The fields of a JSON Schema, each followed by its nested fields. */
function rowsHtml(schema: Schema, schemas: Schema, prefix = ''): string[] {
  const { properties = {}, required = [] } = resolveReference(schema, schemas)
  return Object.entries(properties as Record<string, Schema>).flatMap(([name, reference]) => {
    const field = resolveReference(reference, schemas)
    const isRequired = (required as readonly string[]).includes(name)
    const cells = [escapeHtml(typeOf(field)), isRequired ? 'required' : '', proseHtml(notesOf(field).join('; '))]
    const path = `${prefix}${name}`
    const row = `<tr><th scope="row"><code>${escapeHtml(path)}</code></th><td>${cells.join('</td><td>')}</td></tr>`
    return [row, ...rowsHtml(field, schemas, `${path}.`)]
  })
}

function resolveReference(schema: Schema, schemas: Schema): Schema {
  const { $ref: reference } = schema
  return typeof reference === 'string' ? (schemas[reference.split('/').at(-1) ?? ''] as Schema) : schema
}

function typeOf({ type, format, items, const: only }: Schema): string {
  if (only !== undefined) return JSON.stringify(only)
  if (type === 'array') return `array of ${typeOf((items ?? {}) as Schema)}`
  if (Array.isArray(type)) return type.join(' or ')
  return String(format ?? type ?? 'any JSON')
}

function notesOf({ description, enum: values, maxLength, minItems, anyOf }: Schema): string[] {
  const either = (anyOf as readonly { required?: string[] }[] | undefined)?.map(({ required }) => required?.join(', '))
  return [
    ...(description ? [String(description)] : []),
    ...(values ? [(values as string[]).map((value) => `\`${value}\``).join(', ')] : []),
    ...(maxLength ? [`at most ${maxLength} characters`] : []),
    ...(minItems ? [`at least ${minItems}`] : []),
    ...(either ? [`has ${either.map((name) => `\`${name}\``).join(' or ')}`] : []),
  ]
}
