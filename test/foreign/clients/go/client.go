// Lists, marks and follows notifications with the generated client: client BASE_URL TOKEN.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client := must(NewClientWithResponses(os.Args[1], WithRequestEditorFn(authorize)))

	limit := 5
	list := must(client.ListNotificationsWithResponse(ctx, &ListNotificationsParams{Limit: &limit}))
	if list.JSON200 == nil {
		log.Fatal(string(list.Body))
	}
	notifications := list.JSON200.Data.Notifications
	for _, notification := range notifications {
		fmt.Println("listed", notification.Id, notification.Metadata.Mention.Snippet)
	}
	marked := must(client.MarkNotificationReadWithResponse(ctx, notifications[0].Id))
	if marked.JSON200 == nil {
		log.Fatal(string(marked.Body))
	}
	fmt.Println("marked", marked.JSON200.Data.Id, marked.JSON200.Data.ReadAt != nil)
	count := must(client.CountUnreadNotificationsWithResponse(ctx, nil))
	fmt.Println("unread", count.JSON200.Data.UnreadCount)

	stream := must(client.StreamNotifications(ctx, &StreamNotificationsParams{}))
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	for name := ""; lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		if field == "event" {
			name = value
			fmt.Println("event", name)
		}
		if field == "data" && name == "notification" {
			var notification struct{ ID string }
			if err := json.Unmarshal([]byte(value), &notification); err != nil {
				log.Fatal(err)
			}
			fmt.Println("followed", notification.ID)
			return
		}
	}
	log.Fatal("The stream ended")
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
