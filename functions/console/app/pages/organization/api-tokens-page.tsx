import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import {
  createOrganizationToken,
  type OrganizationTokenKind,
  revokeOrganizationToken,
  showOrganizationToken,
} from '../../../../../shared/client/tokens.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { organizationTokenQuery } from '../../api/tokens.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Skeleton } from '../../components/loaded.tsx';
import { NewToken, showExpiry, showLastUse } from '../../components/new-token.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { TeamTokens, useNewToken } from './team-tokens.tsx';
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
          <OptionsMenu of={`the ${name}`} requests={[showOrganizationToken(organization, kind)]} />
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
            ['Last used', showLastUse(attributes['last-used-at'])],
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
