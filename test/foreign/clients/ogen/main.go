// Calls Herald with the client of ogen: client BASE_URL TOKEN LOCATION. Prints the answers as JSON.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"strings"

	"example.org/herald-ogen/herald"
	"github.com/google/uuid"
)

type token string

func (t token) Bearer(context.Context, herald.OperationName) (herald.Bearer, error) {
	return herald.Bearer{Token: string(t)}, nil
}

func main() {
	ctx := context.Background()
	location := uuid.MustParse(os.Args[3])
	client := must(herald.NewClient(os.Args[1], token(os.Args[2])))

	listed := as[*herald.NotificationPageHeaders](client.ListNotifications(ctx, herald.ListNotificationsParams{Limit: herald.NewOptInt(10)})).Response.Data.Notifications
	first := listed[0]
	marked := as[*herald.NotificationResponseHeaders](client.MarkNotificationRead(ctx, herald.MarkNotificationReadParams{NotificationId: first.ID})).Response.Data
	some := as[*herald.MarkedReadHeaders](client.MarkNotificationsRead(ctx, &herald.MarkRead{Ids: []uuid.UUID{listed[1].ID}})).Response.Data
	every := as[*herald.MarkedReadHeaders](client.MarkNotificationsRead(ctx, &herald.MarkRead{All: herald.NewOptBool(true), LocationId: herald.NewOptUUID(location)})).Response.Data
	groups := as[*herald.NotificationGroupPageHeaders](client.ListNotificationGroups(ctx, herald.ListNotificationGroupsParams{})).Response.Data.Groups
	mute := as[*herald.MuteResponseHeaders](client.SetMute(ctx, &herald.SetMute{}, herald.SetMuteParams{Kind: herald.SetMuteKindLocation, ID: location})).Response.Data
	mutes := as[*herald.MutesHeaders](client.ListMutes(ctx, herald.ListMutesParams{})).Response.Data.Mutes
	changes := as[*herald.ChangeEntryPageHeaders](client.ListChangeEntries(ctx, herald.ListChangeEntriesParams{Order: herald.NewOptListChangeEntriesOrder(herald.ListChangeEntriesOrderRecorded)})).Response.Data
	checkpoint := must(io.ReadAll(as[*herald.GetCheckpointOKTextPlainHeaders](client.GetCheckpoint(ctx, herald.GetCheckpointParams{})).Response))
	sealed := must(io.ReadAll(as[*herald.ExportSealedLogOKHeaders](client.ExportSealedLog(ctx, herald.ExportSealedLogParams{})).Response))

	snippets := []string{}
	for _, one := range listed {
		snippets = append(snippets, one.Metadata.Mention.Snippet)
	}
	grouped := [][]any{}
	for _, one := range groups {
		grouped = append(grouped, []any{one.LocationId, one.Count, one.UnreadCount, one.Latest.ID == first.ID})
	}
	muted := []any{mute.Kind, mute.ID, nil}
	if !mute.Until.Null {
		log.Fatal("The mute ends at ", mute.Until.Value)
	}
	for _, one := range mutes {
		muted = append(muted, one.ID)
	}
	changed := [][]any{}
	for _, one := range changes.ChangeEntries {
		changed = append(changed, []any{one.EntityTitle, json.RawMessage(one.BeforeState), json.RawMessage(one.AfterState), one.CreatedAt.Year() > 2000})
	}
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"listed":     snippets,
		"marked":     []bool{marked.ID == first.ID, !marked.ReadAt.Null && marked.ReadAt.Value.Year() > 2000},
		"updated":    []any{some.Updated, every.Updated, every.UnreadCount},
		"groups":     grouped,
		"muted":      muted,
		"changes":    changed,
		"hasMore":    changes.HasMore.Value,
		"checkpoint": strings.Split(string(checkpoint), "\n")[1],
		"sealed":     bytes.Count(sealed, []byte("\n")),
	}))
}

// as returns the expected answer; others, such as problems, end the program.
func as[Answer any](answer any, err error) Answer {
	expected, ok := must(answer, err).(Answer)
	if !ok {
		log.Fatalf("Unexpected answer: %+v", answer)
	}
	return expected
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
