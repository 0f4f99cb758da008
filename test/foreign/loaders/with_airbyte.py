"""Reads the change log with a low-code connector of Airbyte and prints the id of each entry. Takes the base URL, a
token and filters as JSON."""

import json
import sys

from airbyte_cdk.models import AirbyteStream, ConfiguredAirbyteCatalog, ConfiguredAirbyteStream
from airbyte_cdk.models import DestinationSyncMode, SyncMode
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource

base_url, token, filters = sys.argv[1:]
paginator = {
    "type": "DefaultPaginator",
    "page_size_option": {"type": "RequestOption", "inject_into": "request_parameter", "field_name": "limit"},
    "page_token_option": {"type": "RequestOption", "inject_into": "request_parameter", "field_name": "cursor"},
    "pagination_strategy": {
        "type": "CursorPagination",
        "page_size": 100,
        "cursor_value": "{{ response.data.nextCursor }}",
        "stop_condition": "{{ not response.data.hasMore }}",
    },
}
schema = {"type": "object", "properties": {"id": {"type": "string"}}}
stream = {
    "type": "DeclarativeStream",
    "name": "change_entries",
    "primary_key": "id",
    "schema_loader": {"type": "InlineSchemaLoader", "schema": schema},
    "retriever": {
        "type": "SimpleRetriever",
        "requester": {
            "type": "HttpRequester",
            "url_base": base_url,
            "path": "/change-entries",
            "http_method": "GET",
            "authenticator": {"type": "BearerAuthenticator", "api_token": "{{ config['token'] }}"},
            "request_parameters": {"order": "recorded", **json.loads(filters)},
        },
        "record_selector": {"type": "RecordSelector", "extractor": {"type": "DpathExtractor", "field_path": ["data", "changeEntries"]}},
        "paginator": paginator,
    },
}
manifest = {
    "version": "6.0.0",
    "type": "DeclarativeSource",
    "check": {"type": "CheckStream", "stream_names": ["change_entries"]},
    "streams": [stream],
}
catalog = ConfiguredAirbyteCatalog(
    streams=[
        ConfiguredAirbyteStream(
            stream=AirbyteStream(name="change_entries", json_schema=schema, supported_sync_modes=[SyncMode.full_refresh]),
            sync_mode=SyncMode.full_refresh,
            destination_sync_mode=DestinationSyncMode.append,
        )
    ]
)
config = {"token": token}
source = ConcurrentDeclarativeSource(catalog=catalog, config=config, state=[], source_config=manifest)
for message in source.read(source.logger, config, catalog, []):
    if message.record:
        print("entry", message.record.data["id"])
