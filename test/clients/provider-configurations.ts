/** Resources of the provider `hashicorp/tfe`, as they are created and as they are changed. */
interface Configuration {
  readonly title: string;
  /** Configuration of the first apply. */
  readonly first: string;
  /** Configuration of the second apply. Its output `checks` is a map of conditions that must be true. */
  readonly second: string;
}

const organization = (name: string, more = ''): string => `
resource "tfe_organization" "this" {
  name  = "${name}"
  email = "platform@example.com"
  ${more}
}`;

/** Creates a function that writes a resource whose label is its name in the organization. */
const named =
  (type: string) =>
  (label: string, more = ''): string =>
    `
resource "${type}" "${label}" {
  name         = "${label}"
  organization = tfe_organization.this.name
  ${more}
}`;
const workspace = named('tfe_workspace');
const project = named('tfe_project');
const team = named('tfe_team');
const pool = named('tfe_agent_pool');

const membership = (label: string): string => `
resource "tfe_organization_membership" "${label}" {
  organization = tfe_organization.this.name
  email        = "${label}@example.com"
}`;

const checks = (conditions: Readonly<Record<string, string>>): string => `
output "checks" {
  value = {
${Object.entries(conditions)
  .map(([name, condition]) => `    ${name} = ${condition}`)
  .join('\n')}
  }
}`;

/** Every resource and data source of the provider that the service can serve, in groups that belong together. */
export const configurations: readonly Configuration[] = [
  {
    title: 'an organization, its defaults, tokens, and the user',
    first: `
${organization('clients-organization')}
${pool('default')}
resource "tfe_organization_default_settings" "this" {
  organization           = tfe_organization.this.name
  default_execution_mode = "agent"
  default_agent_pool_id  = tfe_agent_pool.default.id
}
resource "tfe_organization_token" "this" {
  organization = tfe_organization.this.name
}
resource "tfe_audit_trail_token" "this" {
  organization = tfe_organization.this.name
}
resource "tfe_data_retention_policy" "this" {
  organization = tfe_organization.this.name
  delete_older_than { days = 100 }
}`,
    second: `
${organization(
  'clients-organization',
  `session_timeout_minutes       = 60
  session_remember_minutes      = 120
  collaborator_auth_policy      = "two_factor_mandatory"
  allow_force_delete_workspaces = true
  speculative_plan_management_enabled = false`,
)}
resource "tfe_organization_default_settings" "this" {
  organization           = tfe_organization.this.name
  default_execution_mode = "local"
}
resource "tfe_organization_token" "this" {
  organization = tfe_organization.this.name
}
resource "tfe_data_retention_policy" "this" {
  organization = tfe_organization.this.name
  delete_older_than { days = 50 }
}
data "tfe_organization" "this" { name = tfe_organization.this.name }
data "tfe_organizations" "all" { depends_on = [tfe_organization.this] }
data "tfe_current_user" "this" {}
${checks({
  id: 'data.tfe_organization.this.external_id != ""',
  listed: 'contains(data.tfe_organizations.all.names, tfe_organization.this.name)',
  user: 'data.tfe_current_user.this.id != ""',
})}`,
  },
  {
    title: 'workspaces with settings, variables, SSH keys, tags, and retention',
    first: `
${organization('clients-workspaces')}
${project('shop', 'tags = { team = "shop" }')}
resource "tfe_ssh_key" "this" {
  name         = "deploy"
  organization = tfe_organization.this.name
  key          = "not a key"
}
${workspace('plain')}
${workspace('tagged', 'tag_names = ["app", "core"]\n  project_id = tfe_project.shop.id')}
${workspace(
  'full',
  `description        = "the network"
  auto_apply          = true
  queue_all_runs      = false
  terraform_version   = "1.9.0"
  working_directory   = "network"
  trigger_prefixes    = ["modules"]
  ssh_key_id          = tfe_ssh_key.this.id
  auto_destroy_activity_duration = "14d"
  tags                = { env = "test" }`,
)}
resource "tfe_workspace_settings" "plain" {
  workspace_id   = tfe_workspace.plain.id
  execution_mode = "local"
}
resource "tfe_workspace_settings" "tagged" {
  workspace_id = tfe_workspace.tagged.id
  tags         = { tier = "one" }
}
resource "tfe_variable" "terraform" {
  key          = "region"
  value        = "eu"
  category     = "terraform"
  workspace_id = tfe_workspace.plain.id
}
resource "tfe_variable" "secret" {
  key          = "TOKEN"
  value        = "secret"
  category     = "env"
  sensitive    = true
  workspace_id = tfe_workspace.plain.id
}
resource "tfe_data_retention_policy" "this" {
  workspace_id = tfe_workspace.full.id
  delete_older_than { days = 30 }
}`,
    second: `
${organization('clients-workspaces')}
${project('shop', 'tags = { team = "store", cost = "1" }\n  description = "a shop"\n  auto_destroy_activity_duration = "7d"')}
resource "tfe_ssh_key" "this" {
  name         = "deployment"
  organization = tfe_organization.this.name
  key          = "not a key"
}
${workspace('plain', 'tag_names = ["late"]')}
${workspace('tagged', 'project_id = tfe_project.shop.id\n  tag_names = ["app"]')}
${workspace(
  'full',
  `auto_apply         = false
  terraform_version   = "~> 1.10.0"
  trigger_patterns    = ["/modules/**/*"]
  auto_destroy_activity_duration = "14d"
  assessments_enabled = false
  tags                = { env = "live", tier = "two" }`,
)}
resource "tfe_workspace_settings" "plain" {
  workspace_id              = tfe_workspace.plain.id
  execution_mode            = "remote"
  global_remote_state       = false
  remote_state_consumer_ids = [tfe_workspace.full.id]
}
resource "tfe_workspace_settings" "tagged" {
  workspace_id         = tfe_workspace.tagged.id
  tags                 = { tier = "two", zone = "a" }
  project_remote_state = true
}
resource "tfe_variable" "terraform" {
  key          = "region"
  value        = "us"
  category     = "terraform"
  description  = "of the network"
  workspace_id = tfe_workspace.plain.id
}
resource "tfe_variable" "list" {
  key          = "zones"
  value        = jsonencode(["a", "b"])
  category     = "terraform"
  hcl          = true
  workspace_id = tfe_workspace.plain.id
}
resource "tfe_variable" "secret" {
  key          = "TOKEN"
  value        = "changed"
  category     = "env"
  sensitive    = true
  workspace_id = tfe_workspace.plain.id
}
resource "tfe_data_retention_policy" "this" {
  workspace_id = tfe_workspace.full.id
  dont_delete {}
}
data "tfe_workspace" "full" {
  name         = tfe_workspace.full.name
  organization = tfe_organization.this.name
}
data "tfe_workspace_ids" "app" {
  tag_names    = ["app"]
  organization = tfe_organization.this.name
  depends_on   = [tfe_workspace.tagged]
}
data "tfe_variables" "plain" {
  workspace_id = tfe_workspace.plain.id
  depends_on   = [tfe_variable.terraform, tfe_variable.list, tfe_variable.secret]
}
data "tfe_ssh_key" "this" {
  name         = tfe_ssh_key.this.name
  organization = tfe_organization.this.name
}
data "tfe_project" "shop" {
  name         = upper(tfe_project.shop.name)
  organization = tfe_organization.this.name
}
data "tfe_projects" "all" {
  organization = tfe_organization.this.name
  depends_on   = [tfe_project.shop]
}
data "tfe_organization_tags" "all" {
  organization = tfe_organization.this.name
  depends_on   = [tfe_workspace.tagged, tfe_workspace.plain]
}
${checks({
  workspace: 'data.tfe_workspace.full.id == tfe_workspace.full.id',
  ids: 'data.tfe_workspace_ids.app.ids == tomap({ tagged = tfe_workspace.tagged.id })',
  variables: 'sort(data.tfe_variables.plain.terraform[*].name) == tolist(["region", "zones"])',
  environment: 'data.tfe_variables.plain.env[*].name == tolist(["TOKEN"])',
  key: 'data.tfe_ssh_key.this.id == tfe_ssh_key.this.id',
  project: 'data.tfe_project.shop.id == tfe_project.shop.id',
  projects: 'length(data.tfe_projects.all.projects) == 2',
  tags: 'contains(data.tfe_organization_tags.all.tags[*].name, "late")',
})}`,
  },
  {
    title: 'teams with members, access, and tokens',
    first: `
${organization('clients-teams')}
${project('shop')}
${workspace('network')}
${membership('ada')}
${membership('grace')}
${team('builders')}
${team('readers', 'visibility = "organization"')}
${team('named')}
${team('listed')}
resource "tfe_team_organization_member" "ada" {
  team_id                    = tfe_team.builders.id
  organization_membership_id = tfe_organization_membership.ada.id
}
resource "tfe_team_organization_members" "readers" {
  team_id                     = tfe_team.readers.id
  organization_membership_ids = [tfe_organization_membership.ada.id]
}
resource "tfe_team_member" "named" {
  team_id  = tfe_team.named.id
  username = tfe_organization_membership.ada.username
}
resource "tfe_team_members" "listed" {
  team_id   = tfe_team.listed.id
  usernames = [tfe_organization_membership.ada.username]
}
resource "tfe_team_access" "fixed" {
  team_id      = tfe_team.builders.id
  workspace_id = tfe_workspace.network.id
  access       = "write"
}
resource "tfe_team_project_access" "shop" {
  team_id    = tfe_team.builders.id
  project_id = tfe_project.shop.id
  access     = "maintain"
}
resource "tfe_team_token" "single" { team_id = tfe_team.builders.id }
resource "tfe_team_token" "described" {
  team_id     = tfe_team.readers.id
  description = "pipeline"
}`,
    second: `
${organization('clients-teams')}
${project('shop')}
${workspace('network')}
${membership('ada')}
${membership('grace')}
${team(
  'builders',
  `sso_team_id = "builders-at-idp"
  allow_member_token_management = false
  organization_access {
    manage_workspaces = true
    manage_projects   = true
    read_workspaces   = true
    read_projects     = true
    manage_vcs_settings = true
    manage_membership = true
    manage_teams      = true
    manage_agent_pools = true
  }`,
)}
${team('readers')}
${team('named')}
${team('listed')}
resource "tfe_team_organization_member" "ada" {
  team_id                    = tfe_team.builders.id
  organization_membership_id = tfe_organization_membership.grace.id
}
resource "tfe_team_organization_members" "readers" {
  team_id                     = tfe_team.readers.id
  organization_membership_ids = [tfe_organization_membership.ada.id, tfe_organization_membership.grace.id]
}
resource "tfe_team_member" "named" {
  team_id  = tfe_team.named.id
  username = tfe_organization_membership.grace.username
}
resource "tfe_team_members" "listed" {
  team_id   = tfe_team.listed.id
  usernames = [tfe_organization_membership.ada.username, tfe_organization_membership.grace.username]
}
resource "tfe_team_access" "fixed" {
  team_id      = tfe_team.builders.id
  workspace_id = tfe_workspace.network.id
  permissions {
    runs              = "apply"
    variables         = "write"
    state_versions    = "read-outputs"
    sentinel_mocks    = "none"
    workspace_locking = true
    run_tasks         = false
  }
}
resource "tfe_team_project_access" "shop" {
  team_id    = tfe_team.builders.id
  project_id = tfe_project.shop.id
  access     = "custom"
  project_access {
    settings      = "update"
    teams         = "none"
    variable_sets = "write"
  }
  workspace_access {
    state_versions = "write"
    sentinel_mocks = "none"
    runs           = "apply"
    variables      = "write"
    create         = true
    locking        = true
    move           = false
    delete         = false
    run_tasks      = false
  }
}
resource "tfe_team_token" "single" { team_id = tfe_team.builders.id }
data "tfe_team" "builders" {
  name         = tfe_team.builders.name
  organization = tfe_organization.this.name
}
data "tfe_teams" "all" {
  organization = tfe_organization.this.name
  depends_on   = [tfe_team.readers]
}
data "tfe_team_access" "fixed" {
  team_id      = tfe_team_access.fixed.team_id
  workspace_id = tfe_workspace.network.id
}
data "tfe_team_project_access" "shop" {
  team_id    = tfe_team_project_access.shop.team_id
  project_id = tfe_project.shop.id
}
data "tfe_organization_membership" "ada" {
  organization = tfe_organization.this.name
  email        = tfe_organization_membership.ada.email
}
data "tfe_organization_members" "all" {
  organization = tfe_organization.this.name
  depends_on   = [tfe_organization_membership.grace]
}
${checks({
  team: 'data.tfe_team.builders.id == tfe_team.builders.id',
  teams: 'length(data.tfe_teams.all.names) == 5',
  access: 'data.tfe_team_access.fixed.id == tfe_team_access.fixed.id',
  project_access: 'data.tfe_team_project_access.shop.id == tfe_team_project_access.shop.id',
  membership: 'data.tfe_organization_membership.ada.id == tfe_organization_membership.ada.id',
  members: 'length(data.tfe_organization_members.all.members) == 1',
  invited: 'length(data.tfe_organization_members.all.members_waiting) == 2',
})}`,
  },
  {
    title: 'agent pools, their scopes and tokens, and VCS connections',
    first: `
${organization('clients-agents')}
${project('shop')}
${workspace('allowed')}
${pool('open')}
${pool('scoped', 'organization_scoped = false')}
resource "tfe_agent_pool_allowed_workspaces" "scoped" {
  agent_pool_id         = tfe_agent_pool.scoped.id
  allowed_workspace_ids = [tfe_workspace.allowed.id]
}
resource "tfe_workspace_settings" "allowed" {
  workspace_id   = tfe_workspace.allowed.id
  execution_mode = "agent"
  agent_pool_id  = tfe_agent_pool_allowed_workspaces.scoped.agent_pool_id
}
resource "tfe_project_settings" "shop" {
  project_id             = tfe_project.shop.id
  default_execution_mode = "agent"
  default_agent_pool_id  = tfe_agent_pool.open.id
}
resource "tfe_agent_token" "this" {
  agent_pool_id = tfe_agent_pool.open.id
  description   = "first agent"
}
resource "tfe_oauth_client" "this" {
  organization     = tfe_organization.this.name
  name             = "code"
  api_url          = "https://api.github.com"
  http_url         = "https://github.com"
  oauth_token      = "not a token"
  service_provider = "github"
}`,
    second: `
${organization('clients-agents')}
${project('shop')}
${workspace('allowed')}
${workspace('excluded')}
${pool('open')}
${pool('scoped', 'organization_scoped = false')}
resource "tfe_agent_pool_allowed_workspaces" "scoped" {
  agent_pool_id         = tfe_agent_pool.scoped.id
  allowed_workspace_ids = [tfe_workspace.allowed.id, tfe_workspace.excluded.id]
}
resource "tfe_agent_pool_allowed_projects" "scoped" {
  agent_pool_id       = tfe_agent_pool.scoped.id
  allowed_project_ids = [tfe_project.shop.id]
}
resource "tfe_agent_pool_excluded_workspaces" "scoped" {
  agent_pool_id          = tfe_agent_pool.scoped.id
  excluded_workspace_ids = [tfe_workspace.excluded.id]
}
resource "tfe_workspace_settings" "allowed" {
  workspace_id   = tfe_workspace.allowed.id
  execution_mode = "remote"
}
resource "tfe_project_settings" "shop" {
  project_id             = tfe_project.shop.id
  default_execution_mode = "remote"
}
resource "tfe_oauth_client" "this" {
  organization     = tfe_organization.this.name
  name             = "code"
  api_url          = "https://api.github.com"
  http_url         = "https://github.com"
  oauth_token      = "not a token"
  service_provider = "github"
}
data "tfe_agent_pool" "open" {
  name         = tfe_agent_pool.open.name
  organization = tfe_organization.this.name
}
data "tfe_oauth_client" "this" { oauth_client_id = tfe_oauth_client.this.id }
${checks({
  pool: 'data.tfe_agent_pool.open.id == tfe_agent_pool.open.id',
  connection: 'data.tfe_oauth_client.this.name == "code"',
})}`,
  },
  {
    title: 'variable sets of the organization and of a project',
    first: `
${organization('clients-variable-sets')}
${project('shop')}
${workspace('network')}
resource "tfe_variable_set" "shared" {
  name         = "shared"
  organization = tfe_organization.this.name
}
resource "tfe_variable_set" "global" {
  name         = "global"
  description  = "for everything"
  global       = true
  organization = tfe_organization.this.name
}
resource "tfe_variable_set" "owned" {
  name              = "owned"
  organization      = tfe_organization.this.name
  parent_project_id = tfe_project.shop.id
}
resource "tfe_workspace_variable_set" "network" {
  workspace_id    = tfe_workspace.network.id
  variable_set_id = tfe_variable_set.shared.id
}
resource "tfe_variable" "region" {
  key             = "region"
  value           = "eu"
  category        = "terraform"
  variable_set_id = tfe_variable_set.shared.id
}
resource "tfe_variable" "secret" {
  key             = "TOKEN"
  value           = "secret"
  category        = "env"
  sensitive       = true
  variable_set_id = tfe_variable_set.shared.id
}`,
    second: `
${organization('clients-variable-sets')}
${project('shop')}
${workspace('network')}
resource "tfe_variable_set" "shared" {
  name         = "shared values"
  description  = "for two"
  priority     = true
  organization = tfe_organization.this.name
}
resource "tfe_variable_set" "owned" {
  name              = "owned"
  description       = "by the shop"
  organization      = tfe_organization.this.name
  parent_project_id = tfe_project.shop.id
}
resource "tfe_workspace_variable_set" "network" {
  workspace_id    = tfe_workspace.network.id
  variable_set_id = tfe_variable_set.shared.id
}
resource "tfe_project_variable_set" "shop" {
  project_id      = tfe_project.shop.id
  variable_set_id = tfe_variable_set.shared.id
}
resource "tfe_variable" "region" {
  key             = "region"
  value           = "us"
  category        = "terraform"
  description     = "of everything"
  variable_set_id = tfe_variable_set.shared.id
}
resource "tfe_variable" "secret" {
  key             = "TOKEN"
  value           = "changed"
  category        = "env"
  sensitive       = true
  variable_set_id = tfe_variable_set.shared.id
}
data "tfe_variable_set" "shared" {
  name         = tfe_variable_set.shared.name
  organization = tfe_organization.this.name
  depends_on   = [tfe_workspace_variable_set.network, tfe_project_variable_set.shop, tfe_variable.region, tfe_variable.secret]
}
data "tfe_variables" "shared" {
  variable_set_id = tfe_variable_set.shared.id
  depends_on      = [tfe_variable.region, tfe_variable.secret]
}
${checks({
  set: 'data.tfe_variable_set.shared.id == tfe_variable_set.shared.id',
  workspaces: 'data.tfe_variable_set.shared.workspace_ids == toset([tfe_workspace.network.id])',
  variables: 'data.tfe_variables.shared.terraform[*].name == tolist(["region"])',
})}`,
  },
];

type Attributes = Readonly<Record<string, unknown>>;

/** Import identifiers, by type of resource. Types that are not here cannot be imported by the provider. */
export const importIdentifiers: Readonly<Record<string, (attributes: Attributes, organization: string) => string>> = {
  tfe_organization: ({ name }) => `${name}`,
  tfe_organization_default_settings: (_, organization) => organization,
  tfe_organization_membership: ({ id }) => `${id}`,
  tfe_team: ({ id }, organization) => `${organization}/${id}`,
  tfe_team_access: ({ id }, organization) => `${organization}/network/${id}`,
  tfe_team_project_access: ({ id }) => `${id}`,
  tfe_team_organization_member: ({ team_id, organization_membership_id }) => `${team_id}/${organization_membership_id}`,
  tfe_team_organization_members: ({ team_id }) => `${team_id}`,
  tfe_team_member: ({ team_id, username }) => `${team_id}/${username}`,
  tfe_team_members: ({ team_id }) => `${team_id}`,
  tfe_workspace: ({ id }) => `${id}`,
  tfe_workspace_settings: ({ workspace_id }) => `${workspace_id}`,
  tfe_project: ({ id }) => `${id}`,
  tfe_project_settings: ({ project_id }) => `${project_id}`,
  tfe_agent_pool: ({ id }) => `${id}`,
  tfe_agent_pool_allowed_workspaces: ({ agent_pool_id }) => `${agent_pool_id}`,
  tfe_agent_pool_allowed_projects: ({ agent_pool_id }) => `${agent_pool_id}`,
  tfe_agent_pool_excluded_workspaces: ({ agent_pool_id }) => `${agent_pool_id}`,
  tfe_variable_set: ({ id }) => `${id}`,
  tfe_workspace_variable_set: (_, organization) => `${organization}/network/shared values`,
  tfe_project_variable_set: ({ project_id }, organization) => `${organization}/${project_id}/shared values`,
};
