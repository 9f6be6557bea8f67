import {
  type AccessLevel,
  addTeamAccess,
  changeTeamAccess,
  listTeamAccess,
  removeTeamAccess,
  type TeamWorkspace,
} from '../../api/team-access.ts';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import type { AccessLevels } from '../team-access-dialog.tsx';
import { TeamAccessList } from '../team-access-list.tsx';
import { useWorkspace } from './use-workspace.ts';

const levels: AccessLevels<AccessLevel> = [
  { value: 'read', label: 'Read: see everything' },
  { value: 'plan', label: 'Plan: read and create plans' },
  { value: 'write', label: 'Write: plan, apply, lock, change variables' },
  { value: 'admin', label: 'Admin: everything' },
];

/** Shows which teams may use a workspace directly, and changes their access. */
export const AccessPage = () => {
  const { organization, name, workspace } = useWorkspace();
  const { permissions } = workspace.attributes;
  const missing = missingPermission(permissions, 'can-read-settings');
  if (missing !== undefined) {
    return (
      <Notice kind="info" title="You may not see the access of teams">
        <p>{missing}</p>
      </Notice>
    );
  }
  return (
    <TeamAccessList<AccessLevel, TeamWorkspace>
      organization={organization}
      name={name}
      levels={levels}
      invalidates={['/team-workspaces']}
      disabledReason={missingPermission(permissions, 'can-update')}
      frame={Section}
      description="Owners, and teams with rights on the project or the organization, have access in addition."
      emptyTitle="No team has access to this workspace alone"
      columns={[
        { name: 'Runs', cell: ({ attributes }) => attributes.runs },
        { name: 'Variables', cell: ({ attributes }) => attributes.variables },
        { name: 'State', cell: ({ attributes }) => attributes['state-versions'] },
        { name: 'Locking', cell: ({ attributes }) => (attributes['workspace-locking'] ? 'yes' : 'no') },
      ]}
      list={(page) => listTeamAccess(workspace.id, page)}
      add={(team, access) => addTeamAccess(workspace.id, team, access)}
      change={changeTeamAccess}
      remove={removeTeamAccess}
    />
  );
};
