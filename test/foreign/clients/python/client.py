"""Lists, marks and follows notifications with the generated client: client.py BASE_URL TOKEN."""
import json, sys

from herald_client import AuthenticatedClient
from herald_client.api.notifications import count_unread_notifications, list_notifications, mark_notification_read
from herald_client.models import Problem

base_url, token = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=token, raise_on_unexpected_status=True)


def data(answer):
    if answer is None or isinstance(answer, Problem):
        sys.exit(f"Unexpected answer: {answer}")
    return answer.data


def show(*words):
    print(*words, flush=True)


page = data(list_notifications.sync(client=client, limit=5))
for notification in page.notifications:
    show("listed", notification.id, notification.metadata.mention.snippet)
marked = data(mark_notification_read.sync(page.notifications[0].id, client=client))
show("marked", marked.id, marked.read_at is not None)
show("unread", data(count_unread_notifications.sync(client=client)).unread_count)

# The generated function would wait for the end of the stream, so its connection and token are used.
with client.get_httpx_client().stream("GET", "/notifications/stream", timeout=None) as stream:
    name = None
    for line in stream.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
            show("event", name)
        if field == "data" and name == "notification":
            show("followed", json.loads(value)["id"])
            break
