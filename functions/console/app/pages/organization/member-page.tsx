import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { memberName, removeMember, showMembership, showUser } from '../../../../../shared/client/memberships.ts';
import { addTeamMember, removeTeamMember, type Team } from '../../../../../shared/client/teams.ts';
import { type Member, memberQuery } from '../../api/memberships.ts';
import { teamsQuery } from '../../api/team-access.ts';
import { anyWorkspaceQuery } from '../../api/workspaces.ts';
import { actionColumn } from '../../components/action-column.tsx';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { ChangesLink, ResourcePage } from '../../components/resource-page.tsx';
import { Time } from '../../components/time.tsx';
import { rightsInWords } from '../../lib/access-levels.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { useRecentPage } from '../../lib/recent-pages.ts';
import { formatCount } from '../../lib/words.ts';
import { MemberAccess } from './member-access.tsx';
import { teamPaths } from './team-dialog.tsx';
import { TeamField } from './team-field.tsx';
import { LAST_OWNER } from './team-members.tsx';
import { useMissingPermission } from './use-organization.ts';

const route = getRouteApi('/signed-in/$organization/members/$member');

/** Shows a member of an organization, with the teams that give them their rights. */
export const MemberPage = () => {
  const { organization, member: id } = route.useParams();
  const member = useQuery(memberQuery(organization, id));
  const missing = useMissingPermission('can-manage-membership');
  if (isNotFound(member.error)) {
    return <NotFound kind="Member" list={<MembersLink organization={organization} label="all members" />} />;
  }
  return (
    <Loaded query={member}>
      {({ user, membership }) =>
        membership === undefined ? (
          <Page
            title={user?.attributes.username ?? id}
            above={<MembersLink organization={organization} label="Members" />}
            actions={<ChangesLink organization={organization} search={{ actor: id }} />}
          >
            <p className="muted">{missing ?? 'The user is not a member of the organization any more.'}</p>
          </Page>
        ) : (
          <Content organization={organization} id={id} membership={membership} missing={missing} />
        )
      }
    </Loaded>
  );
};

const MembersLink = ({ organization, label }: { readonly organization: string; readonly label: string }) => (
  <Link to="/$organization/members" params={{ organization }}>
    {label}
  </Link>
);

interface ContentProps {
  readonly organization: string;
  /** Id in the address. */
  readonly id: string;
  readonly membership: NonNullable<Member['membership']>;
  /** Reason why the user may not manage memberships. */
  readonly missing: string | undefined;
}

const Content = ({ organization, id, membership, missing }: ContentProps) => {
  const navigate = useNavigate();
  const { data } = membership;
  const { attributes, relationships } = data;
  const name = memberName(data);
  const user = relationships.user.data;
  // One page for both addresses of a member.
  useRecentPage([organization, 'members', user?.id ?? data.id], name);
  const account = findIncluded(membership, 'users', user);
  const teams = relationships.teams.data.flatMap((team) => findIncluded(membership, 'teams', team) ?? []);
  const unmanaged = useMissingPermission('can-manage-owners');
  // Included teams have neither permissions nor members.
  const listed = useQuery(teamsQuery(organization)).data?.document.data;
  const held = useQuery({
    ...anyWorkspaceQuery(organization, { 'filter[locked-by][id]': user?.id ?? '' }),
    enabled: user !== null,
  });
  const locks = held.data?.document.meta.pagination['total-count'] ?? 0;
  const isOwner = teams.some((team) => team.attributes.name === 'owners');
  const kept = missing ?? (isOwner ? (unmanaged ?? lastOwnerIn(listed)) : undefined);
  return (
    <ResourcePage
      organization={organization}
      title={name}
      list={<MembersLink organization={organization} label="Members" />}
      badges={
        <>
          {attributes.status === 'invited' && <Badge kind="info">invited</Badge>}
          {account?.attributes['is-service-account'] === true && <Badge>service account</Badge>}
        </>
      }
      request={id === data.id || user === null ? showMembership(data.id) : showUser(user.id)}
      changes={user === null ? undefined : { actor: user.id }}
      actions={[
        {
          label: 'Remove',
          isDangerous: true,
          disabledReason: kept,
          dialog: (onClose) => (
            <ConfirmDialog
              title={`Remove “${name}”`}
              description={`The user leaves all teams of the organization. If you remove yourself, you lose access to it.${
                locks === 0
                  ? ''
                  : ` The user holds ${formatCount(locks, 'lock')} that you see, which then only a force-unlock ends.`
              }`}
              submitLabel="Remove"
              request={removeMember(data.id)}
              invalidates={teamPaths(organization)}
              message={`Removed the member ${name}.`}
              leave={() => navigate({ to: '/$organization/members', params: { organization } })}
              onClose={onClose}
            />
          ),
        },
      ]}
      facts={
        <Section title="About">
          <Facts
            facts={[
              ['E-mail', attributes.email],
              ['Status', attributes.status],
              ...(user === null || held.data === undefined
                ? []
                : [
                    [
                      'Locks held',
                      locks === 0 ? (
                        'none'
                      ) : (
                        <Link
                          key="locks"
                          to="/$organization/workspaces"
                          params={{ organization }}
                          search={{ holder: user.id, sort: 'locked-at' }}
                        >
                          {locks.toLocaleString()}
                        </Link>
                      ),
                    ] as const,
                  ]),
              ['Member since', <Time key="since" value={attributes['created-at']} />],
              ...(user === null ? [] : [['ID of the user', <CopyableId key="user" id={user.id} />] as const]),
              ['ID of the membership', <CopyableId key="membership" id={data.id} />],
            ]}
          />
        </Section>
      }
    >
      <Teams
        organization={organization}
        membership={data.id}
        user={user?.id}
        name={name}
        teams={teams}
        listed={listed}
      />
      <MemberAccess teams={teams} />
    </ResourcePage>
  );
};

interface TeamsProps {
  readonly organization: string;
  /** Id of the membership. */
  readonly membership: string;
  /** Id of the user. */
  readonly user: string | undefined;
  readonly name: string;
  readonly teams: readonly Team[];
  /** The first 100 teams that the caller sees; undefined until they are loaded. */
  readonly listed: readonly Team[] | undefined;
}

/** Returns why the members of the owners team must stay; undefined if there are several. */
const lastOwnerIn = (listed: readonly Team[] = []): string | undefined =>
  listed.find(({ attributes }) => attributes.name === 'owners')?.relationships.users?.data.length === 1
    ? LAST_OWNER
    : undefined;

/** Returns why the caller may not change who is in a team. */
const missingIn = ({ attributes }: Team): string | undefined =>
  missingPermission(attributes.permissions ?? {}, 'can-update-membership');

const Teams = ({ organization, membership, user, name, teams, listed }: TeamsProps) => {
  const [isAdding, setAdding] = useState(false);
  const [left, setLeft] = useState<Team>();
  const others = (listed ?? []).filter(
    (team) => missingIn(team) === undefined && !teams.some(({ id }) => id === team.id),
  );
  const none =
    listed !== undefined && others.length === 0 ? 'There is no other team whose members you may change.' : undefined;
  const keptIn = ({ id, attributes }: Team) => {
    const team = listed?.find((one) => one.id === id);
    return (team && missingIn(team)) ?? (attributes.name === 'owners' ? lastOwnerIn(listed) : undefined);
  };
  return (
    <Section
      title="Teams"
      description="What a team may do, its members may do."
      actions={
        <Button icon="plus" disabledReason={none} onClick={() => setAdding(true)}>
          Add to a team
        </Button>
      }
    >
      {teams.length === 0 ? (
        <EmptyState title="You see no team of the member" />
      ) : (
        <DataTable
          label="Teams"
          rows={teams}
          rowKey={({ id }) => id}
          columns={[
            {
              name: 'Team',
              cell: ({ id, attributes }) => <ResourceLink type="teams" id={id} name={attributes.name} />,
            },
            {
              name: 'Rights in the organization',
              cell: ({ attributes }) => rightsInWords(attributes['organization-access']),
            },
            actionColumn(
              ({ attributes }: Team) => attributes.name,
              [{ label: 'Remove', isDangerous: true, disabledReason: keptIn, onClick: setLeft }],
            ),
          ]}
        />
      )}
      {isAdding && (
        <AddToTeamDialog
          organization={organization}
          membership={membership}
          name={name}
          teams={others}
          onClose={() => setAdding(false)}
        />
      )}
      {left !== undefined && (
        <ConfirmDialog
          title={`Remove “${name}” from “${left.attributes.name}”`}
          description={`The user loses what only “${left.attributes.name}” allows.`}
          submitLabel="Remove"
          request={removeTeamMember(left.id, user ?? '')}
          invalidates={teamPaths(organization)}
          message={`Removed the member ${name} from the team ${left.attributes.name}.`}
          onClose={() => setLeft(undefined)}
        />
      )}
    </Section>
  );
};

interface AddToTeamDialogProps extends Pick<TeamsProps, 'organization' | 'membership' | 'name' | 'teams'> {
  readonly onClose: () => void;
}

const AddToTeamDialog = ({ organization, membership, name, teams, onClose }: AddToTeamDialogProps) => {
  const [team, setTeam] = useState('');
  const action = useDialogAction<unknown>({
    invalidates: teamPaths(organization),
    message: `Added the member ${name} to the team ${teams.find(({ id }) => id === team)?.attributes.name}.`,
    onClose,
  });
  return (
    <ActionDialog
      title={`Add “${name}” to a team`}
      submitLabel="Add"
      action={action}
      request={addTeamMember(team, membership)}
      required={{ Team: team }}
      onClose={onClose}
    >
      <TeamField name="team" teams={teams} value={team} onChange={setTeam} />
    </ActionDialog>
  );
};
