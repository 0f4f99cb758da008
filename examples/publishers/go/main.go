// Publishes a mention and a change to Herald, and prints the ids that Herald derives from them.
// Arguments: publish BROKERS SUBSCRIBER RECIPIENT ID MILLISECONDS, or: id SUBSCRIBER SOURCE ID MILLISECONDS.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kgo"
)

const source = "/examples/go"

type object = map[string]any

func publish(brokers, subscriber, recipient, id string, milliseconds uint64) {
	ada := uuid.NewString()
	data := map[string]object{
		"mention": {"actor": object{"id": ada, "name": "Ada", "image": ""}, "actorType": "user", "subjectId": recipient,
			"subjectType": "user", "locationId": uuid.NewString(), "locationType": "comment", "recipientIds": []string{recipient},
			"metadata": object{"mention": object{"mentionerName": "Ada", "snippet": "Look", "entityType": "portfolio"}}},
		"change": {"user": object{"id": ada, "name": "Ada", "email": "ada@example.com"}, "entityType": "portfolio",
			"entityId": "p-1", "entityTitle": "Growth", "actionType": "update", "changedField": "name",
			"beforeState": nil, "afterState": "Growth"},
	}
	client := must(kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...)))
	defer client.Close()
	for topic, kind := range map[string]string{"mention": "mention.created", "change": "change.recorded"} {
		// Source, id and time identify an event: they come from what happened, and never change when it is published again.
		event := must(json.Marshal(object{"specversion": "1.0", "id": id + "/" + topic, "source": source, "type": "herald." + kind + ".v1",
			"time": time.UnixMilli(int64(milliseconds)).UTC(), "subscriberid": subscriber, "data": data[topic]}))
		headers := []kgo.RecordHeader{{Key: "content-type", Value: []byte("application/cloudevents+json")}}
		must(client.ProduceSync(context.Background(), &kgo.Record{Topic: topic + "-events" + os.Getenv("TOPIC_SUFFIX"), Key: []byte(subscriber), Value: event, Headers: headers}).First())
		fmt.Println(topic, derivedID(subscriber, source, id+"/"+topic, milliseconds))
	}
}

func main() {
	arguments := os.Args[2:]
	milliseconds := must(strconv.ParseUint(arguments[len(arguments)-1], 10, 64))
	if os.Args[1] == "id" {
		fmt.Println(derivedID(arguments[0], arguments[1], arguments[2], milliseconds))
	} else {
		publish(arguments[0], arguments[1], arguments[2], arguments[3], milliseconds)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
