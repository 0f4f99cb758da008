"""Reads the change log with a tap of Meltano's Singer SDK and prints the id of each entry. Takes the
base URL, a token and filters as JSON."""

import json
import sys

from singer_sdk import RESTStream, Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import BearerTokenAuthenticator
from singer_sdk.pagination import BaseAPIPaginator


class Cursor(BaseAPIPaginator):
    def has_more(self, response):
        return response.json()["data"]["hasMore"]

    def get_next(self, response):
        return response.json()["data"]["nextCursor"]


class ChangeEntries(RESTStream):
    name = "change_entries"
    path = "/change-entries"
    records_jsonpath = "$.data.changeEntries[*]"
    schema = th.PropertiesList(th.Property("id", th.StringType)).to_dict()

    @property
    def url_base(self):
        return self.config["base_url"]

    @property
    def authenticator(self):
        return BearerTokenAuthenticator(token=self.config["token"])

    def get_new_paginator(self):
        return Cursor(None)

    def get_url_params(self, context, next_page_token):
        cursor = {"cursor": next_page_token} if next_page_token else {}
        return {"order": "recorded", "limit": 100, **json.loads(filters), **cursor}


class TapHerald(Tap):
    name = "tap-herald"
    config_jsonschema = th.PropertiesList(
        th.Property("base_url", th.StringType), th.Property("token", th.StringType)
    ).to_dict()

    def discover_streams(self):
        return [ChangeEntries(self)]


base_url, token, filters = sys.argv[1:]
(stream,) = TapHerald(config={"base_url": base_url.rstrip("/"), "token": token}).discover_streams()
for entry in stream.get_records(None):
    print("entry", entry["id"])
