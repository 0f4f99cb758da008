"""A foreign client (librdkafka) that produces the events of the plan, and logs each record once it is acknowledged.

Reads one JSON command per line and prints "done" when all of its records are acknowledged. A line of the log is
"<event> <topic> <partition> <offset>", followed by the record itself for a poison record.
"""

import base64
import hashlib
import json
import os
import sys
import time
from functools import partial

from confluent_kafka import Consumer, Producer, TopicPartition

settings = json.loads(sys.argv[1])
SOURCE, BASE_MS, TOPICS = settings["source"], settings["baseMs"], settings["topics"]
SUBSCRIBERS = settings["subscribers"]
KINDS = {"mention": 0, "change": 1, "receipt": 2}
log = open(settings["log"], "w", buffering=1 << 16)


def uuid(role, number):
    return f"{role:08x}-0000-4000-8000-{number:012x}"


def timestamp(n):
    seconds, ms = divmod(BASE_MS + n, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{ms:03d}Z"


def subscriber(n):
    """A receipt belongs to the subscriber of its notification."""
    return uuid(1, (n if n % 20 < 18 else target_of(n)) * 7 % SUBSCRIBERS)


def target_of(n):
    """One in four e-mail receipts precedes its notification by 500 events."""
    block, first = n // 20, n - n % 20
    return first + 2 if n % 20 == 18 else first + 3 + (500 if block % 4 == 0 else 0)


def recipients(n):
    count = 50 if n % 1000 == 500 else 1 + n % 3
    named = [uuid(2, (n * 13 + i) % 300) for i in range(count)]
    return named + named[:1] if n % 30 == 0 else named


def derived_id(n):
    source, name = SOURCE.encode(), f"event-{n}".encode()
    text = bytes.fromhex(subscriber(n).replace("-", ""))
    text += len(source).to_bytes(4, "big") + source + len(name).to_bytes(4, "big") + name
    bits = int.from_bytes(hashlib.sha256(text).digest(), "big") >> (256 - 74)
    value = (BASE_MS + n) << 80 | 7 << 76 | (bits >> 62) << 64 | 2 << 62 | bits & (1 << 62) - 1
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def mention(n):
    return {
        "actor": {"id": uuid(3, n % 50), "name": "Ada ü", "image": ""},
        "actorType": "ai user" if n % 4 == 0 else "user",
        "subjectId": uuid(4, n), "subjectType": "comment",
        "locationId": uuid(5, n), "locationType": "file comment",
        "metadata": {
            "mention": {"mentionerName": "Ada", "snippet": f"event {n}", "entityType": "portfolio"},
            "add": {"$set": n, "a.b": "ü", "": None}, "edit": {"constructor": [n]},
        },
        "recipientIds": recipients(n), "later": "a field of a newer publisher",
    }


def change(n):
    return {
        "user": {"id": uuid(6, n % 50), "name": "Bob", "email": "bob@mail.example"},
        "entityType": "portfolio", "entityId": f"p-{n % 97}", "entityTitle": "Growth",
        "actionType": "update", "changedField": f"field {n}",
        "beforeState": {"z": n, "a": {"$ref": "x"}}, "afterState": [n, None, "é"],
    }


def receipt(n):
    target = target_of(n)
    return {"notificationId": derived_id(target), "recipientId": recipients(target)[0]}


def kind_of(n):
    return "mention" if n % 20 < 12 else "change" if n % 20 < 18 else "receipt"


def is_poison(n):
    return n % 100 == (41 if n // 100 % 2 == 0 else 57) or n % 1000 == 999


def type_of(n):
    kind = kind_of(n)
    if kind == "mention":
        return "herald.mention.created.v1"
    if kind == "change":
        return "herald.change.recorded.v1"
    return "herald.notification.read.v1" if n % 20 == 18 else "herald.email.sent.v1"


def record(n):
    kind = kind_of(n)
    data = mention(n) if kind == "mention" else change(n) if kind == "change" else receipt(n)
    attributes = {
        "specversion": "1.0", "id": f"event-{n}", "source": SOURCE, "type": type_of(n),
        "time": timestamp(n), "subscriberid": subscriber(n),
    }
    if n % 2:
        headers = [(f"ce_{name}", value.encode()) for name, value in attributes.items()]
        return json.dumps(data).encode(), [("content-type", b"application/json"), *headers]
    return json.dumps({**attributes, "data": data}, ensure_ascii=False).encode(), [
        ("content-type", b"application/cloudevents+json")
    ]


def poison(n, pad):
    event = {
        "specversion": "1.0", "id": f"event-{n}", "source": SOURCE, "type": "herald.mention.created.v1",
        "time": timestamp(n), "subscriberid": subscriber(n), "data": mention(n),
    }
    headers = [("content-type", b"application/cloudevents+json"), ("x-event", str(n).encode())]
    variant = n // 100 % 8
    if variant == 1:
        event = {"hello": "world"}
    if variant == 2:
        headers = headers[1:]
    if variant == 3:
        event["type"] = "herald.mention.created.v9"
    if variant == 4:
        event["data"]["recipientIds"] = []
    if variant == 5:
        event["time"] = "2100-01-01T00:00:00Z"
    if variant == 6:
        event["data"]["metadata"]["add"] = {"__proto__": {"x": n}}
    value = json.dumps(event).encode()
    if variant == 0:
        value = value[:-20]
    if variant == 7:
        value, headers = value.replace(b"portfolio", b"\xff\xfe"), [*headers, ("x-bytes", bytes([0, 255, 128]))]
    return value + b" " * pad, headers


def text(data):
    return base64.b64encode(data).decode()


def on_delivery(n, kind, record_text, error, message):
    if error:
        print(json.dumps({"failed": str(error)}), flush=True)
        return
    log.write(f"{n} {KINDS[kind]} {message.partition()} {message.offset()}{record_text}\n")


producers = [
    Producer({
        "bootstrap.servers": settings["brokers"], "acks": "all", "enable.idempotence": True,
        "compression.type": codec, "message.timeout.ms": 0, "linger.ms": 5, "queue.buffering.max.messages": 200000,
        "reconnect.backoff.max.ms": 1000, "retry.backoff.max.ms": 500, "message.max.bytes": 1100000, "log_level": 0,
    })
    for codec in ("none", "gzip", "snappy", "lz4", "zstd")
]


def send(n, kind, bad, partition=-1, pad=0):
    value, headers = poison(n, pad) if bad else record(n)
    key = subscriber(n).encode()
    record_text = ""
    if bad:
        origin = {"key": text(key), "value": text(value), "headers": [[name, text(one)] for name, one in headers]}
        record_text = " " + text(json.dumps(origin).encode())
    producer = producers[n // 50 % 5]
    while True:
        try:
            producer.produce(
                TOPICS[kind], value, key, partition, partial(on_delivery, n, kind, record_text), headers=headers
            )
            return
        except BufferError:
            producer.poll(0.1)


parent = os.getppid()


def acknowledge_all():
    while os.getppid() == parent and sum(producer.flush(0.1) for producer in producers):
        log.flush()
    log.flush()


def produce(command):
    start, count = time.monotonic(), 0
    for n in range(command["from"], command["to"]):
        bad = is_poison(n)
        if bad and not command["poison"]:
            continue
        for _ in range(command["copies"]):
            send(n, kind_of(n), bad)
        count += 1
        if count % 200 == 0:
            for producer in producers:
                producer.poll(0)
            log.flush()
            while command["rate"] and count / command["rate"] > time.monotonic() - start:
                time.sleep(0.01)
                for producer in producers:
                    producer.poll(0)
                log.flush()


MIB = 1024 * 1024


def log_poison(n, kind, record, error, message):
    text_of_record = " " + text(json.dumps(record).encode())
    on_delivery(n, kind, text_of_record, error, message)


def spacious(codec, **more):
    """A client with room for hundreds of megabytes in a record, and for all of a batch."""
    return Producer({
        "bootstrap.servers": settings["brokers"], "acks": "all", "compression.type": codec, "linger.ms": 10000,
        "message.max.bytes": 1000000000, "batch.size": 1000000000, "batch.num.messages": 1000000,
        "queue.buffering.max.messages": 1000000, "queue.buffering.max.kbytes": 2097151, "log_level": 0, **more,
    })


def send_poison(producer, order, key, value, headers):
    n, kind, partition = order["n"], order["kind"], order["partition"]
    is_large = len(value) > 8 * MIB
    record = {
        "key": text(key), "value": None if is_large else text(value), "valueBytes": len(value),
        "headers": [[name, text(one)] for name, one in headers],
    }
    producer.produce(TOPICS[kind], value, key, partition, partial(log_poison, n, kind, record), headers=headers)
    producer.flush()


def send_copies(order):
    """One event, again and again, in one batch."""
    producer = spacious("zstd")
    n, kind, partition = order["n"], order["kind"], order["partition"]
    value, headers = record(n)
    for _ in range(order["count"]):
        done = partial(on_delivery, n, kind, "")
        producer.produce(TOPICS[kind], value, subscriber(n).encode(), partition, done, headers=headers)
    producer.flush()


def send_events(order):
    """Events of the plan, in as few batches as can be."""
    producer = spacious("zstd", **{"batch.size": 8 * MIB})
    for n in range(order["n"], order["n"] + order["count"]):
        if is_poison(n):
            continue
        (value, headers), kind = record(n), kind_of(n)
        done = partial(on_delivery, n, kind, "")
        producer.produce(TOPICS[kind], value, subscriber(n).encode(), order["partition"], done, headers=headers)
        if n % 1000 == 0:
            producer.poll(0)
    producer.flush()


def void(kind, partition, offset):
    """There is nothing at this offset for anybody to read."""
    log.write(f"- {KINDS[kind]} {partition} {offset}\n")


def send_transactions(order):
    """Two that overlap: the one that began first is aborted last, so that the broker lists it last."""
    n, kind, partition = order["n"], order["kind"], order["partition"]
    place = TopicPartition(TOPICS[kind], partition)
    reader = Consumer({"bootstrap.servers": settings["brokers"], "group.id": "faults-ends"})
    first, last = [
        spacious("none", **{"transactional.id": f"{SOURCE}-{n}-{one}", "linger.ms": 5}) for one in ("first", "last")
    ]
    begin = reader.get_watermark_offsets(place)[1]
    for producer in (first, last):
        producer.init_transactions()
        producer.begin_transaction()

    def write(producer, number):
        value, headers = record(number)
        producer.produce(TOPICS[kind], value, subscriber(number).encode(), partition, headers=headers)
        producer.flush()

    # Good events, which nobody may ever see.
    write(first, n)
    write(last, n + 20)
    last.abort_transaction()
    write(first, n + 40)
    first.abort_transaction()
    # Three records and two ends, which the broker writes when the producers are done already.
    end = begin + 5
    while reader.get_watermark_offsets(place)[1] < end:
        time.sleep(0.05)
    for offset in range(begin, end):
        void(kind, partition, offset)
    reader.close()


def send_bounds(order):
    name, n = order["bounds"], order["n"]
    key, mark = subscriber(n).encode(), [("x-event", str(n).encode())]
    if name == "large header":
        send_poison(spacious("gzip"), order, key, b"{", [*mark, ("x-large", b"h" * (3 * MIB))])
    elif name == "large key":
        send_poison(spacious("gzip"), order, b"k" * (3 * MIB), b"{", mark)
    elif name == "value of 110 MB":
        send_poison(spacious("zstd"), order, key, b"v" * 110000000, mark)
    elif name.startswith("600 MiB of zeros"):
        send_poison(spacious(name.split()[-1]), order, key, bytes(600 * MIB), mark)
    elif name == "10,000 headers":
        send_poison(spacious("none"), order, key, b"{", [(f"h{one}", b"") for one in range(10000)])
    elif name == "long pointers":
        bad = b'{"%s":{%s}}' % (b"k" * 400000, b",".join(b'"%d":1e999' % one for one in range(60)))
        headers = [*mark, ("content-type", b"application/cloudevents+json")]
        for one in range(3):
            send_poison(spacious("none"), {**order, "n": n + one}, key, bad, headers)
    elif name == "130,000 records in a batch":
        send_copies(order)
    elif name == "aborted transactions":
        send_transactions(order)
    else:
        send_events(order)


for line in sys.stdin:
    order = json.loads(line)
    if "bounds" in order:
        send_bounds(order)
    elif "only" in order:
        for number in order["only"]:
            send(number, order["kind"], True, order["partition"], order["pad"])
    else:
        produce(order)
    acknowledge_all()
    print("done", flush=True)
