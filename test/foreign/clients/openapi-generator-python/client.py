"""Calls Herald with the client of openapi-generator: client.py BASE_URL TOKEN LOCATION. Prints what it was answered, as JSON."""
import json, sys
from uuid import UUID

from openapi_client import ApiClient, ChangeLogApi, Configuration, MarkRead, MutesApi, NotificationsApi, SetMute

base_url, token, location = sys.argv[1:]
client = ApiClient(Configuration(host=base_url, access_token=token))
notifications, mutes, change_log = NotificationsApi(client), MutesApi(client), ChangeLogApi(client)

listed = notifications.list_notifications(limit=10).data.notifications
marked = notifications.mark_notification_read(listed[0].id).data
some = notifications.mark_notifications_read(MarkRead(ids=[listed[1].id])).data
every = notifications.mark_notifications_read(MarkRead(all=True, locationId=location, locationType="comment")).data
groups = notifications.list_notification_groups().data.groups
mute = mutes.set_mute("location", UUID(location), SetMute()).data
muted = mutes.list_mutes().data.mutes
changes = change_log.list_change_entries(order="recorded").data
checkpoint = change_log.get_checkpoint().data.checkpoint
sealed = change_log.export_sealed_log()

print(
    json.dumps(
        {
            "listed": [one.metadata.mention.snippet for one in listed],
            "marked": [str(marked.id) == str(listed[0].id), marked.read_at.tzinfo is not None],
            "updated": [some.updated, every.updated, every.unread_count],
            "groups": [[str(one.location_id), one.count, one.unread_count, str(one.latest.id) == str(listed[0].id)] for one in groups],
            "muted": [mute.kind, str(mute.id), mute.until] + [str(one.id) for one in muted],
            "changes": [[one.entity_title, one.before_state, one.after_state, one.created_at.year > 2000] for one in changes.change_entries],
            "hasMore": changes.has_more,
            "checkpoint": checkpoint.split("\n")[1],
            "sealed": len(sealed.strip().split(b"\n")),
        }
    )
)
