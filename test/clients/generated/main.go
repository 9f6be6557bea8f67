// Creates, locks, and lists a workspace with the client that oapi-codegen generates.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/client/holdfast"
)

func check(err error, status int, body []byte) {
	if err != nil || status >= 300 {
		panic(fmt.Sprintf("%v %d %s", err, status, body))
	}
}

func main() {
	ctx := context.Background()
	authenticate := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client, err := holdfast.NewClientWithResponses(os.Getenv("ORIGIN"), holdfast.WithRequestEditorFn(authenticate))
	check(err, 0, nil)

	body := holdfast.WorkspaceBody{}
	body.Data.Type = holdfast.WorkspaceBodyDataTypeWorkspaces
	body.Data.Attributes.Name = "made-with-go"
	created, err := client.WorkspacesCreateWithApplicationVndAPIPlusJSONBodyWithResponse(ctx, "demo", nil, body)
	check(err, created.StatusCode(), created.Body)
	id := created.ApplicationvndApiJSON201.Data.Id

	reason := "generated"
	locked, err := client.WorkspacesLockWithApplicationVndAPIPlusJSONBodyWithResponse(ctx, id, nil, holdfast.WorkspaceLockBody{Reason: &reason})
	check(err, locked.StatusCode(), locked.Body)
	// The response to a dry run has another type.
	workspace, err := locked.ApplicationvndApiJSON200.Data.AsWorkspace()
	check(err, 0, nil)

	search := "made-with-go"
	listed, err := client.WorkspacesListWithResponse(ctx, "demo", &holdfast.WorkspacesListParams{SearchName: &search})
	check(err, listed.StatusCode(), listed.Body)
	ids := []string{}
	for _, found := range listed.ApplicationvndApiJSON200.Data {
		ids = append(ids, found.Id)
	}
	result, _ := json.Marshal(map[string]any{
		"id": id, "locked": workspace.Attributes.Locked, "listed": ids,
	})
	fmt.Println(string(result))
}
