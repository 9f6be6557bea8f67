/** The pages of an organization, which are loaded together: one script is smaller than a script for each page (docs/decisions/0072). */
export { AgentPoolsPage } from './agent-pools-page.tsx';
export { ApiTokensPage } from './api-tokens-page.tsx';
export { AuditTrailPage } from './audit-trail-page.tsx';
export { BulkJobPage } from './bulk-job-page.tsx';
export { BulkJobsPage } from './bulk-jobs-page.tsx';
export { DeletedWorkspacesPage } from './deleted-workspaces-page.tsx';
export { LocksPage } from './locks-page.tsx';
export { MembersPage } from './members-page.tsx';
export { ProjectPage } from './project-page.tsx';
export { ProjectsPage } from './projects-page.tsx';
export { ReservedTagsPage } from './reserved-tags-page.tsx';
export { OrganizationSettingsPage } from './settings-page.tsx';
export { SshKeysPage } from './ssh-keys-page.tsx';
export { TeamsPage } from './teams-page.tsx';
export { VariableSetsPage } from './variable-sets-page.tsx';
export { VcsConnectionsPage } from './vcs-connections-page.tsx';
export { WorkloadIdentitiesPage } from './workload-identities-page.tsx';
