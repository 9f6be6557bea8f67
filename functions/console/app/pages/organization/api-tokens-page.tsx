import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import {
  createOrganizationToken,
  createTeamToken,
  listTeamTokens,
  type OrganizationTokenKind,
  revokeOrganizationToken,
  revokeToken,
  showOrganizationToken,
} from '../../../../../shared/client/tokens.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { teamsQuery } from '../../api/team-access.ts';
import { organizationTokenQuery } from '../../api/tokens.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Curl } from '../../components/curl.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Skeleton } from '../../components/loaded.tsx';
import { expiryOf, type Lifetime, lifetimes, NewToken, showExpiry } from '../../components/new-token.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { Time } from '../../components/time.tsx';
import { TeamField } from './team-field.tsx';
import { TokenLifetimes } from './token-lifetimes.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

/** Tokens that an organization can have, one of each kind. */
const organizationTokens: Readonly<Record<OrganizationTokenKind, Omit<OrganizationTokenProps, 'kind'>>> = {
  ordinary: {
    title: 'Organization token',
    description: 'It manages teams, members, projects and workspaces, and does not work with states and runs.',
  },
  'audit-trails': { title: 'Audit trail token', description: 'It reads the audit trail and nothing else.' },
};

/** Shows the tokens of an organization and of its teams, creates and revokes them. */
export const ApiTokensPage = () => (
  <Page title="Tokens">
    <p className="muted">
      These tokens belong to the organization and its teams. Yours are on the page{' '}
      <Link to="/settings/tokens">Your tokens</Link>.
    </p>
    {Object.entries(organizationTokens).map(([kind, token]) => (
      <OrganizationToken key={kind} kind={kind as OrganizationTokenKind} {...token} />
    ))}
    <TeamTokens />
    <TokenLifetimes />
  </Page>
);

interface OrganizationTokenProps {
  readonly kind: OrganizationTokenKind;
  readonly title: string;
  readonly description: string;
}

const OrganizationToken = ({ kind, title, description }: OrganizationTokenProps) => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-update-api-token');
  const { isPending: isUnknown } = useQuery(organizationQuery(organization));
  // Those who may not manage the token get 404, as if there were none.
  const token = useQuery({
    ...organizationTokenQuery(organization, kind),
    enabled: !isUnknown && missing === undefined,
  });
  const [open, setOpen] = useState<'create' | 'revoke'>();
  const isNone = isNotFound(token.error);
  const attributes = isNone ? undefined : token.data?.document.data.attributes;
  const paths = [`/organizations/${organization}/authentication-token`];
  const name = title.toLowerCase();
  const close = () => setOpen(undefined);
  return (
    <Section
      title={title}
      description={description}
      actions={
        <>
          <Curl requests={[showOrganizationToken(organization, kind)]} subject={title} />
          <Button
            disabledReason={missing}
            aria-label={attributes === undefined ? `New ${name}` : `Replace the ${name}`}
            onClick={() => setOpen('create')}
          >
            {attributes === undefined ? `New ${name}` : 'Replace'}
          </Button>
          {attributes !== undefined && (
            <Button disabledReason={missing} aria-label={`Revoke the ${name}`} onClick={() => setOpen('revoke')}>
              Revoke
            </Button>
          )}
        </>
      }
    >
      {missing === undefined && token.isPending && <Skeleton lines={1} />}
      {token.error !== null && !isNone && <ErrorNotice error={token.error} onRetry={token.refetch} />}
      {(missing !== undefined || isNone) && <p className="muted">{missing ?? 'There is no token.'}</p>}
      {attributes !== undefined && (
        <Facts
          facts={[
            ['Created', <Time key="created" value={attributes['created-at']} />],
            ['Expires', showExpiry(attributes['expired-at'])],
          ]}
        />
      )}
      {open === 'create' && (
        <CreateOrganizationToken
          kind={kind}
          name={name}
          isReplacement={attributes !== undefined}
          paths={paths}
          onClose={close}
        />
      )}
      {open === 'revoke' && (
        <ConfirmDialog
          title={`Revoke the ${name}`}
          description="Everything that uses it is signed out. This cannot be undone."
          submitLabel="Revoke"
          request={revokeOrganizationToken(organization, kind)}
          invalidates={paths}
          message={`Revoked the ${name} of the organization ${organization}.`}
          onClose={close}
        />
      )}
    </Section>
  );
};

type NewTokenDocument = { readonly data: Schemas['NewAuthenticationToken'] };

const useNewToken = (paths: readonly string[]) => {
  const [created, setCreated] = useState<NewTokenDocument['data']['attributes']>();
  const action = useAction<NewTokenDocument>({
    invalidates: paths,
    onDone: ({ document }) => setCreated(document.data.attributes),
  });
  return { created, action };
};

const CreateOrganizationToken = ({
  kind,
  name,
  isReplacement,
  paths,
  onClose,
}: Pick<OrganizationTokenProps, 'kind'> & {
  readonly name: string;
  readonly isReplacement: boolean;
  readonly paths: readonly string[];
  readonly onClose: () => void;
}) => {
  const organization = useOrganizationName();
  const { created, action } = useNewToken(paths);
  if (created !== undefined) return <NewToken title={`New ${name}`} attributes={created} onClose={onClose} />;
  return (
    <ActionDialog
      title={isReplacement ? `Replace the ${name}` : `New ${name}`}
      description="A token that exists already stops working."
      submitLabel={isReplacement ? 'Replace' : 'Create'}
      isDangerous
      action={action}
      request={createOrganizationToken(organization, kind)}
      onClose={onClose}
    />
  );
};

const NO_TEAM = 'You need permission to manage teams.';

/** Returns the teams whose tokens the user may create. */
const withTokens = (teams: readonly Schemas['Team'][]) =>
  teams.filter(({ attributes }) => attributes.permissions?.['can-update-api-token'] === true);

const TeamTokens = () => {
  const organization = useOrganizationName();
  const paths = [`/organizations/${organization}/team-tokens`];
  const teams = useQuery(teamsQuery(organization));
  const missing = teams.data && withTokens(teams.data.document.data).length === 0 ? NO_TEAM : undefined;
  const teamOf = ({ relationships }: Schemas['AuthenticationToken']) => {
    const id = relationships.team?.data.id ?? '';
    const team = teams.data?.document.data.find((one) => one.id === id);
    // Until the names are loaded, nothing is shown rather than an id that is replaced at once.
    return team?.attributes.name ?? (teams.isPending ? '' : id);
  };
  return (
    <ResourceList
      title="Team tokens"
      frame={Section}
      request={(page) => listTeamTokens(organization, page)}
      nameOf={(token) => token.attributes.description ?? token.id}
      emptyTitle="There are no team tokens that you may see"
      columns={() => ({
        Team: { cell: teamOf },
        description: {
          cell: ({ attributes }) => attributes.description ?? <span className="muted">No description</span>,
        },
        ID: { cell: ({ id }) => <code>{id}</code> },
        'created-at': true,
        'expired-at': { cell: ({ attributes }) => showExpiry(attributes['expired-at']) },
        'last-used-at': false,
      })}
      add={{
        label: 'New team token',
        disabledReason: missing,
        dialog: (onClose) => <CreateTeamToken paths={paths} onClose={onClose} />,
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

const CreateTeamToken = ({ paths, onClose }: { readonly paths: readonly string[]; readonly onClose: () => void }) => {
  const organization = useOrganizationName();
  const teams = useQuery(teamsQuery(organization)).data?.document.data ?? [];
  const [team, setTeam] = useState('');
  const [description, setDescription] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [openedAt] = useState(Date.now);
  const { created, action } = useNewToken(paths);
  if (created !== undefined) {
    const name = teams.find(({ id }) => id === team)?.attributes.name;
    return <NewToken title={`New token of “${name}”`} attributes={created} onClose={onClose} />;
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
      <TeamField name="team" teams={withTokens(teams)} value={team} onChange={setTeam} />
      <TextField
        name="description"
        label="Description"
        hint="Each token of a team has its own description."
        isOptional
        value={description}
        onChange={setDescription}
      />
      <SelectField name="expired-at" label="Valid for" value={lifetime} options={lifetimes} onChange={setLifetime} />
    </ActionDialog>
  );
};
