"""Follows a topic with librdkafka, outside any group, and prints each record as a line of JSON."""

import base64
import json
import os
import sys

from confluent_kafka import Consumer, TopicPartition

settings = json.loads(sys.argv[1])


def text(data):
    return None if data is None else base64.b64encode(data).decode()


consumer = Consumer({
    "bootstrap.servers": settings["brokers"], "group.id": "faults-reader", "enable.auto.commit": False,
    "auto.offset.reset": "earliest", "fetch.wait.max.ms": 50, "reconnect.backoff.max.ms": 1000,
    "topic.metadata.refresh.interval.ms": 1000, "fetch.message.max.bytes": 4000000, "log_level": 0,
})
consumer.assign([TopicPartition(settings["topic"], number, 0) for number in range(settings["partitions"])])
parent = os.getppid()
while os.getppid() == parent:
    for message in consumer.consume(500, 0.1):
        if message.error():
            continue
        headers = [[name, text(value)] for name, value in message.headers() or []]
        place = {"partition": message.partition(), "offset": message.offset(), "at": message.timestamp()[1]}
        print(json.dumps({**place, "key": text(message.key()), "value": text(message.value()), "headers": headers}))
    sys.stdout.flush()
