"""Reads the change log with dlt's REST source and prints the id of each entry. Takes the base URL, a token and filters as JSON."""

import json
import sys

from dlt.sources.rest_api import rest_api_resources

base_url, token, filters = sys.argv[1:]
endpoint = {
    "path": "change-entries",
    "params": {"order": "recorded", "limit": 100, **json.loads(filters)},
    "data_selector": "data.changeEntries",
    "paginator": {
        "type": "cursor",
        "cursor_path": "data.nextCursor",
        "cursor_param": "cursor",
        "has_more_path": "data.hasMore",
    },
}
for resource in rest_api_resources(
    {
        "client": {"base_url": base_url, "auth": {"type": "bearer", "token": token}},
        "resources": [{"name": "change_entries", "endpoint": endpoint}],
    }
):
    for entry in resource:
        print("entry", entry["id"])
