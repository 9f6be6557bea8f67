import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createUserToken, revokeToken } from '../../../../shared/client/tokens.ts';
import type { Schemas } from '../../../../shared/client/types.ts';
import { endSession } from '../api/session.ts';
import { userTokensQuery } from '../api/tokens.ts';
import { useAction } from '../api/use-action.ts';
import { actionColumn } from '../components/action-column.tsx';
import { ActionDialog } from '../components/action-dialog.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { DataTable, toColumns } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import {
  expiryOf,
  type Lifetime,
  lifetimes,
  NewToken,
  showDescription,
  showExpiry,
  showLastUse,
} from '../components/new-token.tsx';
import { toast } from '../components/toast.tsx';
import { UserPage, WithAccount } from './user-page.tsx';

const TITLE = 'Your tokens';

/** Lists the tokens of the user, creates and revokes them. */
export const UserTokensPage = () => (
  <WithAccount title={TITLE}>{({ data: { id }, meta }) => <Tokens user={id} current={meta['token-id']} />}</WithAccount>
);

type Token = Schemas['AuthenticationToken'];

interface TokensProps {
  readonly user: string;
  /** Id of the token of this session. */
  readonly current: string;
}

const Tokens = ({ user, current }: TokensProps) => {
  const tokens = useQuery(userTokensQuery(user));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Token>();
  return (
    <UserPage
      title={TITLE}
      actions={
        <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      <Loaded query={tokens}>
        {({ document: { data } }) =>
          data.length === 0 ? (
            <EmptyState title="You have no tokens" />
          ) : (
            <DataTable
              label="Your tokens"
              rows={data}
              rowKey={({ id }) => id}
              columns={toColumns<Token>({
                description: {
                  cell: (token) =>
                    showDescription(token, token.id === current && <Badge kind="info">this session</Badge>),
                },
                'created-at': true,
                'expired-at': { cell: ({ attributes }) => showExpiry(attributes['expired-at']) },
                'last-used-at': {
                  name: 'Last used',
                  cell: ({ attributes }) => showLastUse(attributes['last-used-at']),
                },
                Actions: actionColumn(
                  ({ id, attributes }) => attributes.description ?? id,
                  [{ label: 'Revoke', isDangerous: true, onClick: setRevoked }],
                ),
              })}
            />
          )
        }
      </Loaded>
      {isCreating && <CreateDialog user={user} onClose={() => setCreating(false)} />}
      {revoked !== undefined && (
        <RevokeDialog
          user={user}
          token={revoked}
          isCurrent={revoked.id === current}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </UserPage>
  );
};

const CreateDialog = ({ user, onClose }: { readonly user: string; readonly onClose: () => void }) => {
  const [description, setDescription] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [openedAt] = useState(Date.now);
  const [created, setCreated] = useState<Schemas['NewAuthenticationToken']['attributes']>();
  const action = useAction({
    invalidates: [`/users/${user}/authentication-tokens`],
    onDone: ({ document }: { readonly document: { readonly data: Schemas['NewAuthenticationToken'] } }) =>
      setCreated(document.data.attributes),
  });
  if (created !== undefined)
    return <NewToken title="New token" attributes={created} isForTerraform onClose={onClose} />;
  return (
    <ActionDialog
      title="New token"
      description="It may do everything that you may do."
      submitLabel="Create"
      action={action}
      request={createUserToken(user, description, expiryOf(lifetime, openedAt))}
      onClose={onClose}
    >
      <TextField
        name="description"
        label="Description"
        hint="Where you use it, such as the name of a computer."
        isOptional
        value={description}
        onChange={setDescription}
        autoFocus
      />
      <SelectField name="expired-at" label="Valid for" value={lifetime} options={lifetimes} onChange={setLifetime} />
    </ActionDialog>
  );
};

const RevokeDialog = ({
  user,
  token,
  isCurrent,
  onClose,
}: {
  readonly user: string;
  readonly token: Token;
  /** Whether it is the token of this session. */
  readonly isCurrent: boolean;
  readonly onClose: () => void;
}) => {
  const action = useAction({
    invalidates: isCurrent ? [] : [`/users/${user}/authentication-tokens`],
    onDone: () => {
      if (isCurrent) return endSession('signed-out');
      toast(`Revoked the token ${token.attributes.description ?? token.id}.`);
      onClose();
    },
  });
  return (
    <ActionDialog
      title={`Revoke “${token.attributes.description ?? token.id}”`}
      description={`${isCurrent ? 'You are signed in with this token: this signs you out. ' : ''}Everything that uses it is signed out. This cannot be undone.`}
      submitLabel={isCurrent ? 'Revoke and sign out' : 'Revoke'}
      isDangerous
      action={action}
      request={revokeToken(token.id)}
      onClose={onClose}
    />
  );
};
