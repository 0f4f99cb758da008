import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.serialization.StringSerializer;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Publishes a mention and a change to Herald, and prints the ids that Herald derives from them.
 * publish BROKERS SUBSCRIBER RECIPIENT ID MILLISECONDS, or: id SUBSCRIBER SOURCE ID MILLISECONDS
 */
class Publish {
  static final String SOURCE = "/examples/java";
  /** A UUIDv7: the time of the event, and the first 74 bits of a hash over subscriber, source and id. */
  static UUID derivedId(String subscriber, String source, String id, long milliseconds) throws Exception {
    var hash = MessageDigest.getInstance("SHA-256");
    hash.update(new BigInteger("1" + subscriber.replace("-", ""), 16).toByteArray(), 1, 16);
    for (var text : List.of(source, id)) {
      hash.update(ByteBuffer.allocate(4).putInt(text.getBytes(UTF_8).length).flip());
      hash.update(text.getBytes(UTF_8));
    }
    // 12 bits of the hash follow the version, the next 62 the variant.
    var bits = ByteBuffer.wrap(hash.digest());
    long first = bits.getLong(), second = bits.getLong();
    return new UUID(milliseconds << 16 | 7 << 12 | first >>> 52, 2L << 62 | (first << 12 | second >>> 52) >>> 2);
  }

  static void publish(String brokers, String subscriber, String recipient, String id, long milliseconds) throws Exception {
    var ada = UUID.randomUUID();
    var mention = """
        {"actor": {"id": "%s", "name": "Ada", "image": ""}, "actorType": "user", "subjectId": "%s", "subjectType": "user",
        "locationId": "%s", "locationType": "comment", "recipientIds": ["%s"], "metadata":
        {"mention": {"mentionerName": "Ada", "snippet": "Look at this", "entityType": "portfolio"}}}""".formatted(ada, recipient, UUID.randomUUID(), recipient);
    var change = """
        {"user": {"id": "%s", "name": "Ada", "email": "ada@example.com"}, "entityType": "portfolio", "entityId": "p-1",
        "entityTitle": "Growth", "actionType": "update", "changedField": "name", "beforeState": null, "afterState": "Growth"}""".formatted(ada);
    var text = new StringSerializer();
    try (var producer = new KafkaProducer<>(Map.of("bootstrap.servers", brokers, "acks", "all"), text, text)) {
      for (var event : List.of(List.of("mention", "created", mention), List.of("change", "recorded", change))) {
        String topic = event.get(0), eventId = id + "/" + topic;
        // Source, id and time identify an event: they come from what happened, and never change when it is published again.
        var value = """
            {"specversion": "1.0", "id": "%s", "source": "%s", "type": "herald.%s.%s.v1", "time": "%s", "subscriberid": "%s", "data": %s}""".formatted(eventId, SOURCE, topic, event.get(1), Instant.ofEpochMilli(milliseconds), subscriber, event.get(2));
        var name = topic + "-events" + System.getenv().getOrDefault("TOPIC_SUFFIX", "");
        var producerRecord = new ProducerRecord<>(name, subscriber, value);
        producerRecord.headers().add("content-type", "application/cloudevents+json".getBytes(UTF_8));
        producer.send(producerRecord).get();
        System.out.println(topic + " " + derivedId(subscriber, SOURCE, eventId, milliseconds));
      }
    }
  }

  public static void main(String[] words) throws Exception {
    long milliseconds = Long.parseLong(words[words.length - 1]);
    if (words[0].equals("id")) System.out.println(derivedId(words[1], words[2], words[3], milliseconds));
    else publish(words[1], words[2], words[3], words[4], milliseconds);
  }
}
