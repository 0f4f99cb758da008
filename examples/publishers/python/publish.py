"""Publishes a mention and a change to Herald, and prints the ids that Herald derives from them.

publish.py publish BROKERS SUBSCRIBER RECIPIENT ID MILLISECONDS
publish.py id SUBSCRIBER SOURCE ID MILLISECONDS
"""
import hashlib, json, os, sys, uuid
from datetime import datetime, timezone

SOURCE = "/examples/python"


def derived_id(subscriber, source, event_id, milliseconds):
    """A UUIDv7: the time of the event, and the first 74 bits of a hash over subscriber, source and id."""
    hashed = hashlib.sha256(uuid.UUID(subscriber).bytes)
    for text in (source, event_id):
        data = text.encode()
        hashed.update(len(data).to_bytes(4, "big") + data)
    bits = int.from_bytes(hashed.digest(), "big") >> (256 - 74)
    number = milliseconds << 80 | 7 << 76 | bits >> 62 << 64 | 2 << 62 | bits & (1 << 62) - 1
    return str(uuid.UUID(int=number))


def publish(brokers, subscriber, recipient, event_id, milliseconds):
    from confluent_kafka import Producer

    ada, location = str(uuid.uuid4()), str(uuid.uuid4())
    mention = {
        "actor": {"id": ada, "name": "Ada", "image": ""}, "actorType": "user",
        "subjectId": recipient, "subjectType": "user", "locationId": location, "locationType": "comment",
        "metadata": {"mention": {"mentionerName": "Ada", "snippet": "Look at this", "entityType": "portfolio"}},
        "recipientIds": [recipient],
    }
    change = {
        "user": {"id": ada, "name": "Ada", "email": "ada@example.com"}, "entityType": "portfolio", "entityId": "p-1",
        "entityTitle": "Growth", "actionType": "update", "changedField": "name", "beforeState": None, "afterState": "Growth",
    }
    producer = Producer({"bootstrap.servers": brokers, "acks": "all", "enable.idempotence": True})
    # Source, id and time identify an event: they come from what happened, and never change when it is published again.
    time = datetime.fromtimestamp(milliseconds / 1000, timezone.utc).isoformat(timespec="milliseconds")
    for kind, topic, data in (("mention.created", "mention", mention), ("change.recorded", "change", change)):
        event = {"specversion": "1.0", "id": f"{event_id}/{topic}", "source": SOURCE, "type": f"herald.{kind}.v1",
                 "time": time, "subscriberid": subscriber, "data": data}
        producer.produce(f"{topic}-events{os.environ.get('TOPIC_SUFFIX', '')}", json.dumps(event), subscriber,
                         headers={"content-type": "application/cloudevents+json"}, on_delivery=fail_unless_stored)
        print(topic, derived_id(subscriber, SOURCE, event["id"], milliseconds))
    if producer.flush(30) > 0:
        sys.exit("Kafka has not confirmed the events")


def fail_unless_stored(error, _message):
    if error is not None:
        sys.exit(str(error))


command, *arguments, milliseconds = sys.argv[1:]
result = {"publish": publish, "id": derived_id}[command](*arguments, int(milliseconds))
print(result or "published")
