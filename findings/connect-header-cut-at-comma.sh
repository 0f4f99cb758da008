#!/usr/bin/env bash
# Kafka Connect 4.1.0: the default converter of headers cuts a text at the comma behind a number.
#
# Guess: `SimpleHeaderConverter` guesses a type for a header's text, and writes the same text again.
# Seen: "1,5" comes back as "1" and "0012" as "12"; "12 apples" and "1;5" stay as they are. A connector with this default changes
# a CloudEvent's `ce_id` or `ce_subject` of that form; `StringConverter` as `header.converter` leaves them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>try</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>connect-api</artifactId><version>4.1.0</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=jars >/dev/null
cat >Try.java <<'JAVA'
import java.util.Map;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.storage.StringConverter;

public class Try {
  public static void main(String[] args) throws Exception {
    var simple = new SimpleHeaderConverter();
    simple.configure(Map.of());
    var texts = new StringConverter();
    texts.configure(Map.of(), false);
    for (var text : new String[] {"1,5", "0012", "12 apples", "1;5"}) {
      var guessed = simple.toConnectHeader("topic", "ce_subject", text.getBytes());
      var back = simple.fromConnectHeader("topic", "ce_subject", guessed.schema(), guessed.value());
      var plain = texts.toConnectHeader("topic", "ce_subject", text.getBytes());
      var same = texts.fromConnectHeader("topic", "ce_subject", plain.schema(), plain.value());
      System.out.println(text + " | simple " + new String(back) + " | string " + new String(same));
    }
  }
}
JAVA
expected='1,5 | simple 1 | string 1,5
0012 | simple 12 | string 0012
12 apples | simple 12 apples | string 12 apples
1;5 | simple 1;5 | string 1;5'
found=$(java -cp 'jars/*' Try.java)
printf 'connect-api %s\n%s\n' "$(basename jars/connect-api-[0-9]*.jar .jar | sed 's/^connect-api-//')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
