import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { createTeamToken, listTeamTokens, listTokensOfTeam, revokeToken } from '../../../../../shared/client/tokens.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { teamsQuery } from '../../api/team-access.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import {
  expiryOf,
  type Lifetime,
  lifetimes,
  NewToken,
  showDescription,
  showExpiry,
  showLastUse,
} from '../../components/new-token.tsx';
import { Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { TeamField } from './team-field.tsx';
import { useOrganizationName } from './use-organization.ts';

type NewTokenDocument = { readonly data: Schemas['NewAuthenticationToken'] };

/** Returns an action that creates a token, and the token that it has created. */
export const useNewToken = (paths: readonly string[]) => {
  const [created, setCreated] = useState<NewTokenDocument['data']['attributes']>();
  const action = useAction<NewTokenDocument>({
    invalidates: paths,
    onDone: ({ document }) => setCreated(document.data.attributes),
  });
  return { created, action };
};

const NO_TEAM = 'You need permission to manage teams.';

/** Returns the teams whose tokens the user may create. */
const withTokens = (teams: readonly Schemas['Team'][]) =>
  teams.filter(({ attributes }) => attributes.permissions?.['can-update-api-token'] === true);

interface TeamTokensProps {
  /** The only team whose tokens are listed; by default those of all teams. */
  readonly team?: Schemas['Team'];
}

/** Lists the tokens of teams, creates and revokes them. */
export const TeamTokens = ({ team: only }: TeamTokensProps) => {
  const organization = useOrganizationName();
  const paths = [`/organizations/${organization}/team-tokens`, '/teams'];
  const teams = useQuery({ ...teamsQuery(organization), enabled: only === undefined });
  const none = teams.data && withTokens(teams.data.document.data).length === 0 ? NO_TEAM : undefined;
  const missing =
    only === undefined ? none : missingPermission(only.attributes.permissions ?? {}, 'can-update-api-token');
  const teamOf = ({ relationships }: Schemas['AuthenticationToken']) => {
    const id = relationships.team?.data.id ?? '';
    const team = teams.data?.document.data.find((one) => one.id === id);
    if (team !== undefined) return <ResourceLink type="teams" id={id} name={team.attributes.name} />;
    // Until the names are loaded, nothing is shown rather than an id that is replaced at once.
    return teams.isPending ? '' : id;
  };
  // A team that the caller may see, and whose tokens they may not, is 404.
  if (only !== undefined && missing !== undefined) return <Section title="Tokens">{missing}</Section>;
  return (
    <ResourceList
      title={only === undefined ? 'Team tokens' : 'Tokens'}
      frame={Section}
      description={
        <>
          Pipelines can sign in without a token that is stored anywhere, as{' '}
          <Link to="/$organization/workload-identities" params={{ organization }}>
            workload identities
          </Link>
          .
        </>
      }
      request={(page) => (only === undefined ? listTeamTokens(organization, page) : listTokensOfTeam(only.id, page))}
      nameOf={(token) => token.attributes.description ?? token.id}
      emptyTitle={only === undefined ? 'There are no team tokens that you may see' : 'The team has no tokens'}
      columns={() => ({
        Team: only === undefined && { cell: teamOf },
        description: { cell: (token) => showDescription(token) },
        'created-at': true,
        'expired-at': { cell: ({ attributes }) => showExpiry(attributes['expired-at']) },
        'last-used-at': { name: 'Last used', cell: ({ attributes }) => showLastUse(attributes['last-used-at']) },
      })}
      add={{
        label: 'New team token',
        disabledReason: missing,
        dialog: (onClose) => <CreateTeamToken only={only} paths={paths} onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Revoke',
          isDangerous: true,
          dialog: (token, onClose) => (
            <ConfirmDialog
              title={`Revoke “${token.attributes.description ?? token.id}”`}
              description="Everything that uses it is signed out. This cannot be undone."
              submitLabel="Revoke"
              request={revokeToken(token.id)}
              invalidates={paths}
              message={`Revoked the team token ${token.attributes.description ?? token.id}.`}
              onClose={onClose}
            />
          ),
        },
      ]}
    />
  );
};

interface CreateTeamTokenProps {
  /** The team; undefined if the user chooses one. */
  readonly only: Schemas['Team'] | undefined;
  readonly paths: readonly string[];
  readonly onClose: () => void;
}

const CreateTeamToken = ({ only, paths, onClose }: CreateTeamTokenProps) => {
  const organization = useOrganizationName();
  const listed = useQuery({ ...teamsQuery(organization), enabled: only === undefined }).data?.document.data ?? [];
  const teams = only === undefined ? listed : [only];
  const [team, setTeam] = useState(only?.id ?? '');
  const [description, setDescription] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [openedAt] = useState(Date.now);
  const { created, action } = useNewToken(paths);
  if (created !== undefined) {
    const name = teams.find(({ id }) => id === team)?.attributes.name;
    return <NewToken title={`New token of “${name}”`} attributes={created} isForTerraform onClose={onClose} />;
  }
  return (
    <ActionDialog
      title="New team token"
      description="It may do what the team may do."
      submitLabel="Create"
      action={action}
      request={createTeamToken(team, description, expiryOf(lifetime, openedAt))}
      required={{ Team: team }}
      onClose={onClose}
    >
      {only === undefined && <TeamField name="team" teams={withTokens(teams)} value={team} onChange={setTeam} />}
      <TextField
        name="description"
        label="Description"
        hint="Names the token in lists and histories. No two tokens of a team have the same."
        isOptional
        value={description}
        onChange={setDescription}
      />
      <SelectField name="expired-at" label="Valid for" value={lifetime} options={lifetimes} onChange={setLifetime} />
    </ActionDialog>
  );
};
