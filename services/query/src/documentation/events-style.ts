export const eventsStyle = `:root { color-scheme: light dark; --line: light-dark(#d8dce2, #3a3f47); --shade: light-dark(#f4f6f8, #1d2025); }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #131518); color: light-dark(#1c2128, #e4e7eb); }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
a { color: light-dark(#0b57d0, #8ab4f8); }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
article { margin: 2rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .9375rem; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--line); font-weight: 400; }
th { width: 30%; min-width: 9rem; }
pre { background: var(--shade); padding: 1rem; overflow-x: auto; border-radius: .5rem; }
summary { cursor: pointer; }
`
