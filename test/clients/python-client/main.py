"""Calls the service with pytfe, as programs of others do, and prints each call that fails.

The order of the calls matters: later ones use what earlier ones created.
"""

import base64
import hashlib
import json
import os

from pytfe import TFEClient, TFEConfig, models
from pytfe.errors import NotFound

ORGANIZATION = "pytfe"
client = TFEClient(TFEConfig(address=os.environ["ORIGIN"], token=os.environ["TOKEN"]))


def attempt(name, call):
    """Runs a call and returns its result. A failure is printed and does not stop the program."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001
        print(f"{name}: {type(error).__name__}: {error}")
        return None


def require(name, condition):
    """Prints a failure if a condition does not hold. The condition is a function, because it may lack a result."""
    if attempt(name, condition) is not True:
        print(f"{name}: unexpected result")


def is_missing(call):
    """Tells whether a call is answered with 404."""
    try:
        call()
    except NotFound:
        return True
    return False


attempt(
    "organizations.create",
    lambda: client.organizations.create(
        models.OrganizationCreateOptions(name=ORGANIZATION, email="platform@example.com")
    ),
)

# Projects
project = attempt(
    "projects.create",
    lambda: client.projects.create(
        ORGANIZATION,
        models.ProjectCreateOptions(
            name="Network", description="Shared network", tag_bindings=[models.TagBinding(key="env", value="prod")]
        ),
    ),
)
require("projects.read", lambda: client.projects.read(project.id).name == "Network")
attempt("projects.update", lambda: client.projects.update(project.id, models.ProjectUpdateOptions(description="Core")))
require("projects.list", lambda: len(list(client.projects.list(ORGANIZATION))) == 2)
attempt(
    "projects.add_tag_bindings",
    lambda: client.projects.add_tag_bindings(
        project.id,
        models.ProjectAddTagBindingsOptions(tag_bindings=[models.TagBinding(key="team", value="core")]),
    ),
)
require("projects.list_tag_bindings", lambda: len(client.projects.list_tag_bindings(project.id)) == 2)
require(
    "projects.list_effective_tag_bindings",
    lambda: len(list(client.projects.list_effective_tag_bindings(project.id))) == 2,
)
attempt("projects.delete_tag_bindings", lambda: client.projects.delete_tag_bindings(project.id))

# Workspaces
workspace = attempt(
    "workspaces.create",
    lambda: client.workspaces.create(
        ORGANIZATION,
        models.WorkspaceCreateOptions(
            name="router",
            project=models.Project(id=project.id),
            auto_apply=True,
            tag_bindings=[models.TagBinding(key="zone", value="a")],
        ),
    ),
)
other = attempt(
    "workspaces.create in the default project",
    lambda: client.workspaces.create(ORGANIZATION, models.WorkspaceCreateOptions(name="firewall")),
)
require("workspaces.read", lambda: client.workspaces.read("router", organization=ORGANIZATION).auto_apply is True)
require("workspaces.read without a repository", lambda: client.workspaces.read_by_id(workspace.id).vcs_repo is None)
require(
    "workspaces.update",
    lambda: client.workspaces.update(
        "router", models.WorkspaceUpdateOptions(description="Edge"), organization=ORGANIZATION
    ).description
    == "Edge",
)
attempt(
    "workspaces.update_by_id",
    lambda: client.workspaces.update_by_id(workspace.id, models.WorkspaceUpdateOptions(working_directory="edge")),
)
require("workspaces.list", lambda: len(list(client.workspaces.list(ORGANIZATION))) == 2)
require(
    "workspaces.list with a search",
    lambda: [one.name for one in client.workspaces.list(ORGANIZATION, models.WorkspaceListOptions(search="fire"))]
    == ["firewall"],
)
require(
    "workspaces.lock", lambda: client.workspaces.lock(workspace.id, models.WorkspaceLockOptions(reason="x")).locked is True
)
require("workspaces.unlock", lambda: client.workspaces.unlock(workspace.id).locked is False)
attempt("workspaces.lock again", lambda: client.workspaces.lock(workspace.id, models.WorkspaceLockOptions()))
require("workspaces.force_unlock", lambda: client.workspaces.force_unlock(workspace.id).locked is False)
attempt(
    "workspaces.add_tags",
    lambda: client.workspaces.add_tags(
        workspace.id, models.WorkspaceAddTagsOptions(tags=[models.Tag(name="app"), models.Tag(name="edge")])
    ),
)
attempt(
    "workspaces.remove_tags",
    lambda: client.workspaces.remove_tags(
        workspace.id, models.WorkspaceRemoveTagsOptions(tags=[models.Tag(name="edge")])
    ),
)
require("workspaces.list_tags", lambda: [tag.name for tag in client.workspaces.list_tags(workspace.id)] == ["app"])
attempt(
    "workspaces.add_tag_bindings",
    lambda: list(
        client.workspaces.add_tag_bindings(
            workspace.id,
            models.WorkspaceAddTagBindingsOptions(tag_bindings=[models.TagBinding(key="tier", value="one")]),
        )
    ),
)
require("workspaces.list_tag_bindings", lambda: len(list(client.workspaces.list_tag_bindings(workspace.id))) == 3)
attempt("workspaces.list_effective_tag_bindings", lambda: list(client.workspaces.list_effective_tag_bindings(workspace.id)))
attempt("workspaces.delete_all_tag_bindings", lambda: client.workspaces.delete_all_tag_bindings(workspace.id))
consumers = {"workspaces": [models.Workspace(id=other.id)]}
attempt(
    "workspaces.add_remote_state_consumers",
    lambda: client.workspaces.add_remote_state_consumers(
        workspace.id, models.WorkspaceAddRemoteStateConsumersOptions(**consumers)
    ),
)
require(
    "workspaces.list_remote_state_consumers",
    lambda: [one.id for one in client.workspaces.list_remote_state_consumers(workspace.id)] == [other.id],
)
attempt(
    "workspaces.update_remote_state_consumers",
    lambda: client.workspaces.update_remote_state_consumers(
        workspace.id, models.WorkspaceUpdateRemoteStateConsumersOptions(**consumers)
    ),
)
attempt(
    "workspaces.remove_remote_state_consumers",
    lambda: client.workspaces.remove_remote_state_consumers(
        workspace.id, models.WorkspaceRemoveRemoteStateConsumersOptions(**consumers)
    ),
)
key = attempt(
    "ssh_keys.create",
    lambda: client.ssh_keys.create(ORGANIZATION, models.SSHKeyCreateOptions(name="deploy", value="secret")),
)
attempt(
    "workspaces.assign_ssh_key",
    lambda: client.workspaces.assign_ssh_key(workspace.id, models.WorkspaceAssignSSHKeyOptions(ssh_key_id=key.id)),
)
attempt("workspaces.unassign_ssh_key", lambda: client.workspaces.unassign_ssh_key(workspace.id))
attempt(
    "workspaces.set_data_retention_policy_delete_older",
    lambda: client.workspaces.set_data_retention_policy_delete_older(
        workspace.id, models.DataRetentionPolicyDeleteOlderSetOptions(delete_older_than_n_days=30)
    ),
)
require(
    "workspaces.read_data_retention_policy",
    lambda: client.workspaces.read_data_retention_policy(workspace.id).delete_older_than_n_days == 30,
)
attempt("workspaces.delete_data_retention_policy", lambda: client.workspaces.delete_data_retention_policy(workspace.id))
attempt("projects.move_workspaces", lambda: client.projects.move_workspaces(project.id, [other.id]))
require(
    "workspaces.list of a project",
    lambda: len(list(client.workspaces.list(ORGANIZATION, models.WorkspaceListOptions(project_id=project.id)))) == 2,
)

# Variables
variable = attempt(
    "variables.create",
    lambda: client.variables.create(
        workspace.id,
        models.VariableCreateOptions(key="region", value="eu", category=models.CategoryType.TERRAFORM, hcl=False),
    ),
)
require("variables.create with a category", lambda: variable.category == models.CategoryType.TERRAFORM)
require(
    "variables.create of a secret",
    lambda: client.variables.create(
        workspace.id,
        models.VariableCreateOptions(key="TOKEN", value="t", category=models.CategoryType.ENV, sensitive=True),
    ).value
    is None,
)
require("variables.read", lambda: client.variables.read(workspace.id, variable.id).value == "eu")
require(
    "variables.update",
    lambda: client.variables.update(workspace.id, variable.id, models.VariableUpdateOptions(value="us")).value == "us",
)
require("variables.list", lambda: len(list(client.variables.list(workspace.id))) == 2)

# Variable sets
variable_set = attempt(
    "variable_sets.create",
    lambda: client.variable_sets.create(
        ORGANIZATION, models.VariableSetCreateOptions(name="shared", description="Defaults", global_=False)
    ),
)
set_variable = attempt(
    "variable_set_variables.create",
    lambda: client.variable_set_variables.create(
        variable_set.id,
        models.VariableSetVariableCreateOptions(key="size", value="1", category=models.CategoryType.TERRAFORM),
    ),
)
require(
    "variable_set_variables.update",
    lambda: client.variable_set_variables.update(
        variable_set.id, set_variable.id, models.VariableSetVariableUpdateOptions(value="2")
    ).value
    == "2",
)
require(
    "variable_set_variables.read",
    lambda: client.variable_set_variables.read(variable_set.id, set_variable.id).category
    == models.CategoryType.TERRAFORM,
)
require("variable_set_variables.list", lambda: len(list(client.variable_set_variables.list(variable_set.id))) == 1)
attempt(
    "variable_sets.update",
    lambda: client.variable_sets.update(variable_set.id, models.VariableSetUpdateOptions(name="defaults")),
)
attempt(
    "variable_sets.apply_to_workspaces",
    lambda: client.variable_sets.apply_to_workspaces(
        variable_set.id, models.VariableSetApplyToWorkspacesOptions(workspaces=[models.Workspace(id=workspace.id)])
    ),
)
require("variable_sets.list_for_workspace", lambda: len(list(client.variable_sets.list_for_workspace(workspace.id))) == 1)
require("variables.list_all", lambda: len(list(client.variables.list_all(workspace.id))) == 3)
attempt(
    "variable_sets.remove_from_workspaces",
    lambda: client.variable_sets.remove_from_workspaces(
        variable_set.id, models.VariableSetRemoveFromWorkspacesOptions(workspaces=[models.Workspace(id=workspace.id)])
    ),
)
attempt(
    "variable_sets.apply_to_projects",
    lambda: client.variable_sets.apply_to_projects(
        variable_set.id, models.VariableSetApplyToProjectsOptions(projects=[models.Project(id=project.id)])
    ),
)
require("variable_sets.list_for_project", lambda: len(list(client.variable_sets.list_for_project(project.id))) == 1)
attempt(
    "variable_sets.remove_from_projects",
    lambda: client.variable_sets.remove_from_projects(
        variable_set.id, models.VariableSetRemoveFromProjectsOptions(projects=[models.Project(id=project.id)])
    ),
)
require("variable_sets.read", lambda: client.variable_sets.read(variable_set.id).name == "defaults")
require("variable_sets.list", lambda: len(list(client.variable_sets.list(ORGANIZATION))) == 1)

# Teams
team = attempt("teams.create", lambda: client.teams.create(ORGANIZATION, models.TeamCreateOptions(name="operators")))
attempt("teams.update", lambda: client.teams.update(team.id, models.TeamUpdateOptions(name="operations")))
require("teams.read", lambda: client.teams.read(team.id).name == "operations")
require("teams.list", lambda: len(list(client.teams.list(ORGANIZATION))) == 2)
member = attempt("organization_memberships.list", lambda: next(iter(client.organization_memberships.list(ORGANIZATION))))
attempt(
    "teams.add_organization_memberships", lambda: client.teams.add_organization_memberships(team.id, [member.id])
)
require(
    "teams.list_organization_memberships",
    lambda: [one.id for one in client.teams.list_organization_memberships(team.id)] == [member.id],
)
require("teams.list_users", lambda: len(list(client.teams.list_users(team.id))) == 1)
attempt(
    "teams.remove_organization_memberships",
    lambda: client.teams.remove_organization_memberships(team.id, [member.id]),
)
access = attempt(
    "team_workspace_accesses.add",
    lambda: client.team_workspace_accesses.add(
        models.TeamWorkspaceAccessAddOptions(
            team_id=team.id, workspace_id=workspace.id, access=models.TeamWorkspaceAccessType.READ
        )
    ),
)
require("team_workspace_accesses.list", lambda: len(list(client.team_workspace_accesses.list(workspace.id))) == 1)
attempt("team_workspace_accesses.remove", lambda: client.team_workspace_accesses.remove(access.id))

# State versions
STATE = {"version": 4, "terraform_version": "1.11.4", "lineage": "pytfe", "outputs": {}, "resources": []}


def state(serial):
    """Returns a state and the options to create its version."""
    content = json.dumps({**STATE, "serial": serial}).encode()
    digest = hashlib.md5(content).hexdigest()  # noqa: S324
    return content, {"serial": serial, "md5": digest, "lineage": "pytfe"}


attempt("workspaces.lock for a state", lambda: client.workspaces.lock(workspace.id, models.WorkspaceLockOptions()))
inline, options = state(1)
first = attempt(
    "state_versions.create",
    lambda: client.state_versions.create(
        workspace.id,
        models.StateVersionCreateOptions(**options, state=base64.b64encode(inline).decode()),
    ),
)
content, options = state(2)
second = attempt(
    "state_versions.upload",
    lambda: client.state_versions.upload(
        workspace.id, raw_state=content, options=models.StateVersionCreateOptions(**options)
    ),
)
attempt("workspaces.unlock after a state", lambda: client.workspaces.unlock(workspace.id))
require("state_versions.read", lambda: client.state_versions.read(first.id).serial == 1)
require("state_versions.read_current", lambda: client.state_versions.read_current(workspace.id).id == second.id)
require("state_versions.download", lambda: client.state_versions.download(first.id) == inline)
require("state_versions.download_current", lambda: client.state_versions.download_current(workspace.id) == content)
require(
    "state_versions.list",
    lambda: len(
        list(
            client.state_versions.list(models.StateVersionListOptions(organization=ORGANIZATION, workspace="router"))
        )
    )
    == 2,
)
require("state_versions.list_outputs", lambda: list(client.state_versions.list_outputs(second.id)) == [])
attempt("workspaces.lock to roll back", lambda: client.workspaces.lock(workspace.id, models.WorkspaceLockOptions()))
attempt("state_versions.rollback", lambda: client.state_versions.rollback(workspace.id, first.id))
attempt("workspaces.unlock after the roll back", lambda: client.workspaces.unlock(workspace.id))

# Deletions
attempt("variables.delete", lambda: client.variables.delete(workspace.id, variable.id))
attempt(
    "variable_set_variables.delete", lambda: client.variable_set_variables.delete(variable_set.id, set_variable.id)
)
attempt("variable_sets.delete", lambda: client.variable_sets.delete(variable_set.id))
attempt("teams.delete", lambda: client.teams.delete(team.id))
attempt("ssh_keys.delete", lambda: client.ssh_keys.delete(key.id))
attempt("workspaces.safe_delete_by_id", lambda: client.workspaces.safe_delete_by_id(workspace.id))
attempt("workspaces.delete", lambda: client.workspaces.delete("firewall", organization=ORGANIZATION))
require("workspaces.read after the deletion", lambda: is_missing(lambda: client.workspaces.read_by_id(workspace.id)))
attempt("projects.delete", lambda: client.projects.delete(project.id))
attempt("organizations.delete", lambda: client.organizations.delete(ORGANIZATION))

print(json.dumps({"done": True}))
