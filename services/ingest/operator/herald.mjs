#!/usr/bin/env node
// npm links it as node_modules/.bin/herald, before anything is built.
import '../dist/operator/herald.js'
