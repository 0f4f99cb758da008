#!/usr/bin/env bash
# cloudevents-json-jackson 4.0.1 (Maven): an event with bytes and no content type is written as something that is no JSON.
#
# Guess: `data_base64` is read, and written again as `data_base64` (CloudEvents 1.0.2, JSON format, 3.1.1 and 3.1.2).
# Seen: without `datacontenttype` the bytes are taken for JSON and put behind `data` as they are. With one that isn't JSON's they
# are written in base64. A receiver finds no JSON in the whole event.
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
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudevents.jackson.JsonFormat;

public class Try {
  public static void main(String[] args) {
    var format = new JsonFormat();
    for (var type : new String[] {"", ",\"datacontenttype\":\"application/octet-stream\""}) {
      var text = "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/shop\",\"type\":\"order.placed\"" + type + ",\"data_base64\":\"aGk=\"}";
      var written = format.serialize(format.deserialize(text.getBytes()));
      var outcome = "is JSON";
      try {
        new ObjectMapper().readTree(written);
      } catch (Exception error) {
        outcome = "is no JSON";
      }
      System.out.println(new String(written).replaceAll(".*order.placed\",", "") + " " + outcome);
    }
  }
}
JAVA
expected='"data":hi} is no JSON
"datacontenttype":"application/octet-stream","data_base64":"aGk="} is JSON'
found=$(java -cp 'jars/*' Try.java)
printf 'cloudevents-json-jackson %s\n%s\n' "$(basename jars/cloudevents-json-jackson-[0-9]*.jar .jar | sed 's/^cloudevents-json-jackson-//')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
