/** The content security policy of the documentation: load own assets and call this origin. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// URLs are relative, because a gateway may add a version before the path.
export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Herald API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <main id="documentation"></main>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`

/** Separate, because the policy forbids inline scripts. `validatorUrl` would send the document to a third party. */
export const startScript = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#documentation', validatorUrl: null })
`
