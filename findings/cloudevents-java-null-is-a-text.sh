#!/usr/bin/env bash
# cloudevents-json-jackson 4.0.1 (Maven): an extension that is null in JSON becomes the text "null".
#
# Guess: null is an attribute that is not set: a decoder must treat it so (CloudEvents 1.0.2, JSON format, 2.2).
# Seen: `subject` is dropped as it should be, but an extension has the four letters as its value, and is written so when the event
# is passed on. A router that looks whether there is a `partitionkey` or `traceparent` finds one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>try</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>io.cloudevents</groupId><artifactId>cloudevents-json-jackson</artifactId><version>4.0.1</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=jars >/dev/null
cat >Try.java <<'JAVA'
import io.cloudevents.jackson.JsonFormat;

public class Try {
  public static void main(String[] args) {
    var format = new JsonFormat();
    for (var name : new String[] {"subject", "partitionkey"}) {
      var text = "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/shop\",\"type\":\"order.placed\",\"" + name + "\":null}";
      var event = format.deserialize(text.getBytes());
      var value = name.equals("subject") ? event.getSubject() : event.getExtension(name);
      System.out.println(name + " is set: " + (value != null) + ", written " + new String(format.serialize(event)));
    }
  }
}
JAVA
expected='subject is set: false, written {"specversion":"1.0","id":"1","source":"/shop","type":"order.placed"}
partitionkey is set: true, written {"specversion":"1.0","id":"1","source":"/shop","type":"order.placed","partitionkey":"null"}'
found=$(java -cp 'jars/*' Try.java)
printf 'cloudevents-json-jackson %s\n%s\n' "$(basename jars/cloudevents-json-jackson-[0-9]*.jar .jar | sed 's/^cloudevents-json-jackson-//')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
