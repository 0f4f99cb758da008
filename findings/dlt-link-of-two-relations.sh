#!/usr/bin/env bash
# dlt 1.31.0 (PyPI): a `Link` to the next page that has a second relation ends the paging.
#
# Guess: `rel="prefetch next"` is a link to the next page too (RFC 8288, 3.3: several relation types, separated by blanks).
# Seen: `HeaderLinkPaginator` sees the last page in it, without an error, so that the load succeeds with one page of the data.
# With two links, one for each relation, it goes on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dlt==1.31.0
cat >try.py <<'PY'
import json
import requests
from dlt.sources.helpers.rest_client.paginators import HeaderLinkPaginator
next_page = '<https://shop.test/?cursor=2>'
for links in (f'{next_page}; rel="next"', f'{next_page}; rel="prefetch", {next_page}; rel="next"', f'{next_page}; rel="prefetch next"'):
    response = requests.Response()
    response.headers['Link'] = links
    paginator = HeaderLinkPaginator()
    paginator.update_state(response)
    print(links.replace(next_page, '<…>'), 'has another page:', paginator.has_next_page)
PY
expected='<…>; rel="next" has another page: True
<…>; rel="prefetch", <…>; rel="next" has another page: True
<…>; rel="prefetch next" has another page: False'
found=$(venv/bin/python try.py)
printf 'dlt %s\n%s\n' "$(venv/bin/pip show dlt 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
