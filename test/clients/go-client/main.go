// Calls the service with the Go client github.com/hashicorp/go-tfe, as programs of others do, and prints each call that
// fails. The order of the calls matters: later ones use what earlier ones created.
package main

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	tfe "github.com/hashicorp/go-tfe"
)

var ctx = context.Background()

// try runs a call and returns its result. A failure is printed and does not stop the program, nor do the calls that then
// lack its result.
func try[T any](name string, call func() (T, error)) (result T) {
	defer func() {
		if cause := recover(); cause != nil {
			fmt.Printf("%s: %v\n", name, cause)
		}
	}()
	result, err := call()
	if err != nil {
		fmt.Printf("%s: %v\n", name, err)
	}
	return result
}

// do runs a call without a result.
func do(name string, call func() error) {
	try(name, func() (any, error) { return nil, call() })
}

// require prints a failure if a condition does not hold.
func require(name string, condition bool) {
	if !condition {
		fmt.Printf("%s: unexpected result\n", name)
	}
}

// refuse prints a failure unless a call is answered with an error that contains a text.
func refuse(name string, text string, call func() error) {
	err := call()
	if err == nil || !strings.Contains(err.Error(), text) {
		fmt.Printf("%s: expected an error with %q, got %v\n", name, text, err)
	}
}

func main() {
	client, err := tfe.NewClient(&tfe.Config{Address: os.Getenv("ORIGIN"), Token: os.Getenv("TOKEN"), RetryServerErrors: true})
	if err != nil {
		panic(err)
	}

	me := try("Users.ReadCurrent", func() (*tfe.User, error) { return client.Users.ReadCurrent(ctx) })
	try("Users.UpdateCurrent", func() (*tfe.User, error) {
		return client.Users.UpdateCurrent(ctx, tfe.UserUpdateOptions{Username: &me.Username})
	})
	org := try("Organizations.Create", func() (*tfe.Organization, error) {
		return client.Organizations.Create(ctx, tfe.OrganizationCreateOptions{
			Name: tfe.String("go-client"), Email: tfe.String("platform@example.com"),
			AllowForceDeleteWorkspaces: tfe.Bool(true), AssessmentsEnforced: tfe.Bool(false),
		})
	}).Name
	try("Organizations.Read", func() (*tfe.Organization, error) { return client.Organizations.Read(ctx, org) })
	try("Organizations.ReadWithOptions", func() (*tfe.Organization, error) {
		return client.Organizations.ReadWithOptions(ctx, org, tfe.OrganizationReadOptions{Include: []tfe.OrganizationIncludeOpt{tfe.OrganizationDefaultProject}})
	})
	try("Organizations.ReadEntitlements", func() (*tfe.Entitlements, error) { return client.Organizations.ReadEntitlements(ctx, org) })
	try("Organizations.Update", func() (*tfe.Organization, error) {
		return client.Organizations.Update(ctx, org, tfe.OrganizationUpdateOptions{SessionTimeout: tfe.Int(60), SpeculativePlanManagementEnabled: tfe.Bool(false)})
	})
	try("Organizations.List", func() (*tfe.OrganizationList, error) {
		return client.Organizations.List(ctx, &tfe.OrganizationListOptions{Query: "go-"})
	})

	project := try("Projects.Create", func() (*tfe.Project, error) {
		return client.Projects.Create(ctx, org, tfe.ProjectCreateOptions{
			Name: "Shop", Description: tfe.String("the shop"), TagBindings: []*tfe.TagBinding{{Key: "team", Value: "shop"}},
		})
	})
	try("Projects.List", func() (*tfe.ProjectList, error) {
		return client.Projects.List(ctx, org, &tfe.ProjectListOptions{Name: "shop", Query: "sh", TagBindings: []*tfe.TagBinding{{Key: "team", Value: "shop"}}, Include: []tfe.ProjectIncludeOpt{tfe.ProjectEffectiveTagBindings}})
	})
	try("Projects.AddTagBindings", func() ([]*tfe.TagBinding, error) {
		return client.Projects.AddTagBindings(ctx, project.ID, tfe.ProjectAddTagBindingsOptions{TagBindings: []*tfe.TagBinding{{Key: "cost", Value: "1"}}})
	})
	try("Projects.ListEffectiveTagBindings", func() ([]*tfe.EffectiveTagBinding, error) {
		return client.Projects.ListEffectiveTagBindings(ctx, project.ID)
	})
	do("Projects.DeleteAllTagBindings", func() error { return client.Projects.DeleteAllTagBindings(ctx, project.ID) })

	key := try("SSHKeys.Create", func() (*tfe.SSHKey, error) {
		return client.SSHKeys.Create(ctx, org, tfe.SSHKeyCreateOptions{Name: tfe.String("deploy"), Value: tfe.String("not a key")})
	})
	try("SSHKeys.Update", func() (*tfe.SSHKey, error) {
		return client.SSHKeys.Update(ctx, key.ID, tfe.SSHKeyUpdateOptions{Name: tfe.String("deployment")})
	})
	try("SSHKeys.List", func() (*tfe.SSHKeyList, error) { return client.SSHKeys.List(ctx, org, nil) })

	network := try("Workspaces.Create", func() (*tfe.Workspace, error) {
		return client.Workspaces.Create(ctx, org, tfe.WorkspaceCreateOptions{
			Name: tfe.String("network"), AutoApply: tfe.Bool(true), TerraformVersion: tfe.String("1.9.0"), Project: project,
			SourceName: tfe.String("portal"), TriggerPrefixes: []string{"modules"}, WorkingDirectory: tfe.String("network"),
			Tags: []*tfe.Tag{{Name: "app"}}, TagBindings: []*tfe.TagBinding{{Key: "env", Value: "test"}}, AssessmentsEnabled: tfe.Bool(false),
		})
	})
	database := try("Workspaces.Create, second", func() (*tfe.Workspace, error) {
		return client.Workspaces.Create(ctx, org, tfe.WorkspaceCreateOptions{Name: tfe.String("database")})
	})
	id := network.ID
	try("Workspaces.Update", func() (*tfe.Workspace, error) {
		return client.Workspaces.Update(ctx, org, "network", tfe.WorkspaceUpdateOptions{TriggerPatterns: []string{"/modules/**"}, Description: tfe.String("a network")})
	})
	try("Workspaces.UpdateByID, the execution mode", func() (*tfe.Workspace, error) {
		return client.Workspaces.UpdateByID(ctx, id, tfe.WorkspaceUpdateOptions{ExecutionMode: tfe.String("local"), SettingOverwrites: &tfe.WorkspaceSettingOverwritesOptions{ExecutionMode: tfe.Bool(true)}})
	})
	try("Workspaces.ReadByIDWithOptions", func() (*tfe.Workspace, error) {
		return client.Workspaces.ReadByIDWithOptions(ctx, id, &tfe.WorkspaceReadOptions{Include: []tfe.WSIncludeOpt{tfe.WSOrganization, tfe.WSProject, tfe.WSOutputs, tfe.WSEffectiveTagBindings, tfe.WSCurrentRun, tfe.WSReadme}})
	})
	listed := try("Workspaces.List", func() (*tfe.WorkspaceList, error) {
		return client.Workspaces.List(ctx, org, &tfe.WorkspaceListOptions{
			Search: "net", Tags: "app", ExcludeTags: "other", WildcardName: "net*", ProjectID: project.ID, Sort: "-name",
			TagBindings: []*tfe.TagBinding{{Key: "env", Value: "test"}}, Include: []tfe.WSIncludeOpt{tfe.WSProject},
		})
	})
	require("Workspaces.List, the one that matches", listed != nil && len(listed.Items) == 1 && listed.Items[0].ID == id)
	try("Workspaces.List, by status", func() (*tfe.WorkspaceList, error) {
		return client.Workspaces.List(ctx, org, &tfe.WorkspaceListOptions{CurrentRunStatus: "planned"})
	})
	try("Workspaces.Lock", func() (*tfe.Workspace, error) {
		return client.Workspaces.Lock(ctx, id, tfe.WorkspaceLockOptions{Reason: tfe.String("freeze")})
	})
	refuse("Workspaces.Lock, again", tfe.ErrWorkspaceLocked.Error(), func() error {
		_, err := client.Workspaces.Lock(ctx, id, tfe.WorkspaceLockOptions{})
		return err
	})

	state := `{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"go","outputs":{"url":{"value":"https://example.com","type":"string"}},"resources":[]}`
	upload := func(serial int64) *tfe.StateVersion {
		raw := []byte(fmt.Sprintf(state, serial))
		return try("StateVersions.Upload", func() (*tfe.StateVersion, error) {
			return client.StateVersions.Upload(ctx, id, tfe.StateVersionUploadOptions{
				StateVersionCreateOptions: tfe.StateVersionCreateOptions{Lineage: tfe.String("go"), Serial: &serial, MD5: tfe.String(fmt.Sprintf("%x", md5.Sum(raw)))},
				RawState:                  raw,
			})
		})
	}
	first := upload(1)
	second := upload(2)
	inline := []byte(fmt.Sprintf(state, 3))
	try("StateVersions.Create, inline", func() (*tfe.StateVersion, error) {
		return client.StateVersions.Create(ctx, id, tfe.StateVersionCreateOptions{
			Lineage: tfe.String("go"), Serial: tfe.Int64(3), MD5: tfe.String(fmt.Sprintf("%x", md5.Sum(inline))), State: tfe.String(base64.StdEncoding.EncodeToString(inline)),
		})
	})
	current := try("StateVersions.ReadCurrentWithOptions", func() (*tfe.StateVersion, error) {
		for range 100 {
			version, err := client.StateVersions.ReadCurrentWithOptions(ctx, id, &tfe.StateVersionCurrentOptions{Include: []tfe.StateVersionIncludeOpt{tfe.SVoutputs}})
			if err != nil || version.Serial == 3 && version.ResourcesProcessed {
				return version, err
			}
			time.Sleep(100 * time.Millisecond)
		}
		return nil, errors.New("the third state version did not become current")
	})
	try("StateVersions.ListOutputs", func() (*tfe.StateVersionOutputsList, error) {
		return client.StateVersions.ListOutputs(ctx, current.ID, nil)
	})
	try("StateVersionOutputs.ReadCurrent", func() (*tfe.StateVersionOutputsList, error) { return client.StateVersionOutputs.ReadCurrent(ctx, id) })
	try("StateVersions.Download", func() ([]byte, error) { return client.StateVersions.Download(ctx, current.DownloadURL) })
	try("StateVersions.List", func() (*tfe.StateVersionList, error) {
		return client.StateVersions.List(ctx, &tfe.StateVersionListOptions{Organization: org, Workspace: "network"})
	})
	do("StateVersions.SoftDeleteBackingData", func() error { return client.StateVersions.SoftDeleteBackingData(ctx, first.ID) })
	do("StateVersions.RestoreBackingData", func() error { return client.StateVersions.RestoreBackingData(ctx, first.ID) })
	do("StateVersions.SoftDeleteBackingData, again", func() error { return client.StateVersions.SoftDeleteBackingData(ctx, first.ID) })
	do("StateVersions.PermanentlyDeleteBackingData", func() error { return client.StateVersions.PermanentlyDeleteBackingData(ctx, first.ID) })
	require("StateVersions.Upload, a second version", second != nil && second.ID != first.ID)
	try("Workspaces.Unlock", func() (*tfe.Workspace, error) { return client.Workspaces.Unlock(ctx, id) })

	try("Workspaces.AssignSSHKey", func() (*tfe.Workspace, error) {
		return client.Workspaces.AssignSSHKey(ctx, id, tfe.WorkspaceAssignSSHKeyOptions{SSHKeyID: &key.ID})
	})
	try("Workspaces.UnassignSSHKey", func() (*tfe.Workspace, error) { return client.Workspaces.UnassignSSHKey(ctx, id) })
	do("Workspaces.AddTags", func() error {
		return client.Workspaces.AddTags(ctx, id, tfe.WorkspaceAddTagsOptions{Tags: []*tfe.Tag{{Name: "late"}}})
	})
	do("Workspaces.RemoveTags", func() error {
		return client.Workspaces.RemoveTags(ctx, id, tfe.WorkspaceRemoveTagsOptions{Tags: []*tfe.Tag{{Name: "late"}}})
	})
	try("Workspaces.ListTags", func() (*tfe.TagList, error) {
		return client.Workspaces.ListTags(ctx, id, &tfe.WorkspaceTagListOptions{})
	})
	try("Workspaces.AddTagBindings", func() ([]*tfe.TagBinding, error) {
		return client.Workspaces.AddTagBindings(ctx, id, tfe.WorkspaceAddTagBindingsOptions{TagBindings: []*tfe.TagBinding{{Key: "tier", Value: "one"}}})
	})
	try("Workspaces.ListEffectiveTagBindings", func() ([]*tfe.EffectiveTagBinding, error) { return client.Workspaces.ListEffectiveTagBindings(ctx, id) })
	do("Workspaces.DeleteAllTagBindings", func() error { return client.Workspaces.DeleteAllTagBindings(ctx, id) })
	do("Workspaces.UpdateRemoteStateConsumers", func() error {
		return client.Workspaces.UpdateRemoteStateConsumers(ctx, id, tfe.WorkspaceUpdateRemoteStateConsumersOptions{Workspaces: []*tfe.Workspace{database}})
	})
	try("Workspaces.ListRemoteStateConsumers", func() (*tfe.WorkspaceList, error) { return client.Workspaces.ListRemoteStateConsumers(ctx, id, nil) })
	try("Workspaces.SetDataRetentionPolicyDeleteOlder", func() (*tfe.DataRetentionPolicyDeleteOlder, error) {
		return client.Workspaces.SetDataRetentionPolicyDeleteOlder(ctx, id, tfe.DataRetentionPolicyDeleteOlderSetOptions{DeleteOlderThanNDays: 30})
	})
	try("Workspaces.ReadDataRetentionPolicyChoice", func() (*tfe.DataRetentionPolicyChoice, error) {
		return client.Workspaces.ReadDataRetentionPolicyChoice(ctx, id)
	})
	do("Workspaces.DeleteDataRetentionPolicy", func() error { return client.Workspaces.DeleteDataRetentionPolicy(ctx, id) })
	tags := try("OrganizationTags.List", func() (*tfe.OrganizationTagsList, error) {
		return client.OrganizationTags.List(ctx, org, &tfe.OrganizationTagsListOptions{Query: "app"})
	})
	do("OrganizationTags.AddWorkspaces", func() error {
		return client.OrganizationTags.AddWorkspaces(ctx, tags.Items[0].ID, tfe.AddWorkspacesToTagOptions{WorkspaceIDs: []string{database.ID}})
	})

	region := try("Variables.Create", func() (*tfe.Variable, error) {
		return client.Variables.Create(ctx, id, tfe.VariableCreateOptions{Key: tfe.String("region"), Value: tfe.String("eu"), Category: tfe.Category(tfe.CategoryTerraform)})
	})
	require("Variables.Create, its category", region != nil && region.Category == tfe.CategoryTerraform)
	try("Variables.Update", func() (*tfe.Variable, error) {
		return client.Variables.Update(ctx, id, region.ID, tfe.VariableUpdateOptions{Value: tfe.String("us"), Category: tfe.Category(tfe.CategoryTerraform)})
	})
	set := try("VariableSets.Create", func() (*tfe.VariableSet, error) {
		return client.VariableSets.Create(ctx, org, &tfe.VariableSetCreateOptions{Name: tfe.String("shared"), Global: tfe.Bool(false), Priority: tfe.Bool(true)})
	})
	try("VariableSets.Create, of a project", func() (*tfe.VariableSet, error) {
		return client.VariableSets.Create(ctx, org, &tfe.VariableSetCreateOptions{Name: tfe.String("owned"), Global: tfe.Bool(false), Parent: &tfe.Parent{Project: project}})
	})
	inSet := try("VariableSetVariables.Create", func() (*tfe.VariableSetVariable, error) {
		return client.VariableSetVariables.Create(ctx, set.ID, &tfe.VariableSetVariableCreateOptions{Key: tfe.String("region"), Value: tfe.String("set"), Category: tfe.Category(tfe.CategoryTerraform)})
	})
	try("VariableSetVariables.Update", func() (*tfe.VariableSetVariable, error) {
		return client.VariableSetVariables.Update(ctx, set.ID, inSet.ID, &tfe.VariableSetVariableUpdateOptions{Value: tfe.String("from the set")})
	})
	try("VariableSetVariables.List", func() (*tfe.VariableSetVariableList, error) {
		return client.VariableSetVariables.List(ctx, set.ID, nil)
	})
	do("VariableSets.ApplyToWorkspaces", func() error {
		return client.VariableSets.ApplyToWorkspaces(ctx, set.ID, &tfe.VariableSetApplyToWorkspacesOptions{Workspaces: []*tfe.Workspace{network}})
	})
	do("VariableSets.ApplyToProjects", func() error {
		return client.VariableSets.ApplyToProjects(ctx, set.ID, tfe.VariableSetApplyToProjectsOptions{Projects: []*tfe.Project{project}})
	})
	all := try("Variables.ListAll", func() (*tfe.VariableList, error) { return client.Variables.ListAll(ctx, id, nil) })
	require("Variables.ListAll, the priority of the set", all != nil && len(all.Items) == 1 && all.Items[0].Value == "from the set")
	try("VariableSets.UpdateWorkspaces", func() (*tfe.VariableSet, error) {
		return client.VariableSets.UpdateWorkspaces(ctx, set.ID, &tfe.VariableSetUpdateWorkspacesOptions{Workspaces: []*tfe.Workspace{database}})
	})
	include := []tfe.VariableSetIncludeOpt{tfe.VariableSetWorkspaces, tfe.VariableSetProjects, tfe.VariableSetVars}
	try("VariableSets.Read", func() (*tfe.VariableSet, error) {
		return client.VariableSets.Read(ctx, set.ID, &tfe.VariableSetReadOptions{Include: &include})
	})
	try("VariableSets.List", func() (*tfe.VariableSetList, error) {
		return client.VariableSets.List(ctx, org, &tfe.VariableSetListOptions{Query: "sha"})
	})
	try("VariableSets.ListForWorkspace", func() (*tfe.VariableSetList, error) {
		return client.VariableSets.ListForWorkspace(ctx, database.ID, nil)
	})
	try("VariableSets.ListForProject", func() (*tfe.VariableSetList, error) { return client.VariableSets.ListForProject(ctx, project.ID, nil) })
	do("VariableSetVariables.Delete", func() error { return client.VariableSetVariables.Delete(ctx, set.ID, inSet.ID) })
	do("VariableSets.Delete", func() error { return client.VariableSets.Delete(ctx, set.ID) })

	member := try("OrganizationMemberships.Create", func() (*tfe.OrganizationMembership, error) {
		return client.OrganizationMemberships.Create(ctx, org, tfe.OrganizationMembershipCreateOptions{Email: tfe.String("grace@example.com")})
	})
	require("OrganizationMemberships.Create", member != nil && member.Status == tfe.OrganizationMembershipInvited)
	members := try("OrganizationMemberships.List", func() (*tfe.OrganizationMembershipList, error) {
		return client.OrganizationMemberships.List(ctx, org, &tfe.OrganizationMembershipListOptions{
			Emails: []string{"grace@example.com"}, Status: tfe.OrganizationMembershipInvited, Include: []tfe.OrgMembershipIncludeOpt{tfe.OrgMembershipUser, tfe.OrgMembershipTeam},
		})
	})
	require("OrganizationMemberships.List", members != nil && len(members.Items) == 1)
	team := try("Teams.Create", func() (*tfe.Team, error) {
		return client.Teams.Create(ctx, org, tfe.TeamCreateOptions{
			Name: tfe.String("builders of things"), SSOTeamID: tfe.String("sso"), AllowMemberTokenManagement: tfe.Bool(false),
			OrganizationAccess: &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true), ReadProjects: tfe.Bool(true)},
		})
	})
	try("Teams.Update", func() (*tfe.Team, error) {
		return client.Teams.Update(ctx, team.ID, tfe.TeamUpdateOptions{Visibility: tfe.String("organization")})
	})
	try("Teams.List", func() (*tfe.TeamList, error) {
		return client.Teams.List(ctx, org, &tfe.TeamListOptions{Names: []string{"builders of things"}, Query: "build", Include: []tfe.TeamIncludeOpt{tfe.TeamUsers, tfe.TeamOrganizationMemberships}})
	})
	do("TeamMembers.Add", func() error {
		return client.TeamMembers.Add(ctx, team.ID, tfe.TeamMemberAddOptions{OrganizationMembershipIDs: []string{member.ID}})
	})
	try("TeamMembers.ListOrganizationMemberships", func() ([]*tfe.OrganizationMembership, error) {
		return client.TeamMembers.ListOrganizationMemberships(ctx, team.ID)
	})
	try("TeamTokens.CreateWithOptions", func() (*tfe.TeamToken, error) {
		return client.TeamTokens.CreateWithOptions(ctx, team.ID, tfe.TeamTokenCreateOptions{Description: tfe.String("pipeline")})
	})
	try("TeamTokens.List", func() (*tfe.TeamTokenList, error) { return client.TeamTokens.List(ctx, org, nil) })
	access := try("TeamAccess.Add", func() (*tfe.TeamAccess, error) {
		return client.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessPlan), Team: team, Workspace: network})
	})
	try("TeamAccess.List", func() (*tfe.TeamAccessList, error) {
		return client.TeamAccess.List(ctx, &tfe.TeamAccessListOptions{WorkspaceID: id})
	})
	do("TeamAccess.Remove", func() error { return client.TeamAccess.Remove(ctx, access.ID) })
	try("TeamProjectAccess.Add", func() (*tfe.TeamProjectAccess, error) {
		return client.TeamProjectAccess.Add(ctx, tfe.TeamProjectAccessAddOptions{Access: tfe.TeamProjectAccessMaintain, Team: team, Project: project})
	})

	pool := try("AgentPools.Create", func() (*tfe.AgentPool, error) {
		return client.AgentPools.Create(ctx, org, tfe.AgentPoolCreateOptions{Name: tfe.String("pool"), OrganizationScoped: tfe.Bool(false), AllowedWorkspaces: []*tfe.Workspace{database}})
	})
	try("AgentPools.UpdateAllowedProjects", func() (*tfe.AgentPool, error) {
		return client.AgentPools.UpdateAllowedProjects(ctx, pool.ID, tfe.AgentPoolAllowedProjectsUpdateOptions{AllowedProjects: []*tfe.Project{project}})
	})
	try("AgentPools.UpdateExcludedWorkspaces", func() (*tfe.AgentPool, error) {
		return client.AgentPools.UpdateExcludedWorkspaces(ctx, pool.ID, tfe.AgentPoolExcludedWorkspacesUpdateOptions{ExcludedWorkspaces: []*tfe.Workspace{network}})
	})
	try("AgentPools.List", func() (*tfe.AgentPoolList, error) {
		return client.AgentPools.List(ctx, org, &tfe.AgentPoolListOptions{Query: "po", Sort: "name", AllowedWorkspacesName: "database", AllowedProjectsName: "Shop"})
	})
	token := try("AgentTokens.Create", func() (*tfe.AgentToken, error) {
		return client.AgentTokens.Create(ctx, pool.ID, tfe.AgentTokenCreateOptions{Description: tfe.String("agent")})
	})
	try("AgentTokens.List", func() (*tfe.AgentTokenList, error) { return client.AgentTokens.List(ctx, pool.ID) })
	do("AgentTokens.Delete", func() error { return client.AgentTokens.Delete(ctx, token.ID) })
	try("Agents.List", func() (*tfe.AgentList, error) { return client.Agents.List(ctx, pool.ID, nil) })
	do("AgentPools.Delete", func() error { return client.AgentPools.Delete(ctx, pool.ID) })

	connection := try("OAuthClients.Create", func() (*tfe.OAuthClient, error) {
		return client.OAuthClients.Create(ctx, org, tfe.OAuthClientCreateOptions{
			APIURL: tfe.String("https://api.github.com"), HTTPURL: tfe.String("https://github.com"), OAuthToken: tfe.String("not a token"), ServiceProvider: tfe.ServiceProvider(tfe.ServiceProviderGithub),
		})
	})
	try("OAuthTokens.List", func() (*tfe.OAuthTokenList, error) { return client.OAuthTokens.List(ctx, org, nil) })
	do("OAuthClients.Delete", func() error { return client.OAuthClients.Delete(ctx, connection.ID) })

	reserved := try("ReservedTagKeys.Create", func() (*tfe.ReservedTagKey, error) {
		return client.ReservedTagKeys.Create(ctx, org, tfe.ReservedTagKeyCreateOptions{Key: "cost", DisableOverrides: tfe.Bool(true)})
	})
	try("ReservedTagKeys.List", func() (*tfe.ReservedTagKeyList, error) { return client.ReservedTagKeys.List(ctx, org, nil) })
	do("ReservedTagKeys.Delete", func() error { return client.ReservedTagKeys.Delete(ctx, reserved.ID) })
	try("OrganizationTokens.Create", func() (*tfe.OrganizationToken, error) { return client.OrganizationTokens.Create(ctx, org) })
	trail := tfe.AuditTrailToken
	try("OrganizationTokens.CreateWithOptions, of audit trails", func() (*tfe.OrganizationToken, error) {
		return client.OrganizationTokens.CreateWithOptions(ctx, org, tfe.OrganizationTokenCreateOptions{TokenType: &trail})
	})
	do("OrganizationTokens.DeleteWithOptions, of audit trails", func() error {
		return client.OrganizationTokens.DeleteWithOptions(ctx, org, tfe.OrganizationTokenDeleteOptions{TokenType: &trail})
	})
	try("OrganizationTokens.Read", func() (*tfe.OrganizationToken, error) { return client.OrganizationTokens.Read(ctx, org) })
	own := try("UserTokens.Create", func() (*tfe.UserToken, error) {
		return client.UserTokens.Create(ctx, me.ID, tfe.UserTokenCreateOptions{Description: "go"})
	})
	do("UserTokens.Delete", func() error { return client.UserTokens.Delete(ctx, own.ID) })
	try("Runs.List", func() (*tfe.RunList, error) {
		return client.Runs.List(ctx, id, &tfe.RunListOptions{Status: "planned", Source: "tfe-api", Operation: "plan_and_apply", User: "grace", Commit: "abc", Search: "x"})
	})

	do("Workspaces.SafeDelete", func() error { return client.Workspaces.SafeDelete(ctx, org, "network") })
	do("Workspaces.DeleteByID", func() error { return client.Workspaces.DeleteByID(ctx, database.ID) })
	do("Teams.Delete", func() error { return client.Teams.Delete(ctx, team.ID) })
	do("SSHKeys.Delete", func() error { return client.SSHKeys.Delete(ctx, key.ID) })
	do("Projects.Delete", func() error { return client.Projects.Delete(ctx, project.ID) })
	try("Projects.Create, with the name of a deleted one", func() (*tfe.Project, error) {
		return client.Projects.Create(ctx, org, tfe.ProjectCreateOptions{Name: "Shop"})
	})
	do("OrganizationMemberships.Delete", func() error { return client.OrganizationMemberships.Delete(ctx, member.ID) })
	policies := try("OrganizationTokenTTLPolicies.Update", func() ([]*tfe.OrganizationTokenTTLPolicy, error) {
		return client.OrganizationTokenTTLPolicies.Update(ctx, org, tfe.OrganizationTokenTTLPolicyUpdateOptions{
			Policies: []tfe.OrganizationTokenTTLPolicyUpdateItem{{TokenType: tfe.TokenTypeAuditTrails, MaxTTLMs: 86400000}},
		})
	})
	require("OrganizationTokenTTLPolicies.Update, with the limits of all types", len(policies) == 4)
	limits := try("OrganizationTokenTTLPolicies.List", func() (*tfe.OrganizationTokenTTLPolicyList, error) {
		return client.OrganizationTokenTTLPolicies.List(ctx, org, nil)
	})
	for _, limit := range limits.Items {
		if limit.TokenType == tfe.TokenTypeAuditTrails {
			require("OrganizationTokenTTLPolicies.List, with a limit that was set", limit.MaxTTLMs == 86400000)
		}
	}
	limited := try("OrganizationTokens.CreateWithOptions, of limited lifetime", func() (*tfe.OrganizationToken, error) {
		return client.OrganizationTokens.CreateWithOptions(ctx, org, tfe.OrganizationTokenCreateOptions{TokenType: &trail})
	})
	require("OrganizationTokens.CreateWithOptions, of limited lifetime", time.Until(limited.ExpiredAt) <= 24*time.Hour && !limited.ExpiredAt.IsZero())
	later := time.Now().Add(48 * time.Hour)
	refuse("OrganizationTokens.CreateWithOptions, beyond the limit", "limits the lifetime of tokens", func() error {
		_, err := client.OrganizationTokens.CreateWithOptions(ctx, org, tfe.OrganizationTokenCreateOptions{TokenType: &trail, ExpiredAt: &later})
		return err
	})
	do("Organizations.Delete", func() error { return client.Organizations.Delete(ctx, org) })
	result, _ := json.Marshal(map[string]bool{"done": true})
	fmt.Println(string(result))
}
