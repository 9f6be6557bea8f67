import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { accountQuery } from '../api/organizations.ts';
import { createUserToken, revokeToken, userTokensQuery } from '../api/tokens.ts';
import type { Schemas } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { Button } from '../components/button.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { expiryOf, type Lifetime, lifetimes, NewToken } from '../components/new-token.tsx';
import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { toast } from '../components/toast.tsx';

/** Lists the tokens of the user, creates and revokes them. `terraform login` opens this page. */
export const UserTokensPage = () => {
  const account = useQuery({ ...accountQuery(), retry: false });
  const user = account.data?.document.data;
  if (user !== undefined) return <Tokens user={user.id} name={user.attributes.username} />;
  const isOtherToken = account.error instanceof ApiError && account.error.status === 404;
  return (
    <Page title="Your tokens">
      {isOtherToken ? (
        <Notice kind="info" title="You are not signed in as a user">
          <p>
            The token of this session belongs to a team, an organization or a run. Sign in with the token of a user.
          </p>
        </Notice>
      ) : (
        <Loaded query={account}>{() => null}</Loaded>
      )}
    </Page>
  );
};

type Token = Schemas['AuthenticationToken'];

const Tokens = ({ user, name }: { readonly user: string; readonly name: string }) => {
  const tokens = useQuery(userTokensQuery(user));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Token>();
  return (
    <Page
      title="Your tokens"
      aside={<span className="muted">{name}</span>}
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
              columns={[
                {
                  name: 'Description',
                  cell: ({ attributes }) => attributes.description ?? <span className="muted">No description</span>,
                },
                { name: 'ID', cell: ({ id }) => <code>{id}</code> },
                { name: 'Created', cell: ({ attributes }) => <Time value={attributes['created-at']} /> },
                {
                  name: 'Expires',
                  cell: ({ attributes }) =>
                    attributes['expired-at'] === null ? 'never' : <Time value={attributes['expired-at']} />,
                },
                {
                  name: 'Actions',
                  isNameHidden: true,
                  cell: (token) => (
                    <span className="row-actions">
                      <Button
                        look="quiet-danger"
                        aria-label={`Revoke ${token.attributes.description ?? token.id}`}
                        onClick={() => setRevoked(token)}
                      >
                        Revoke
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {isCreating && <CreateDialog user={user} onClose={() => setCreating(false)} />}
      {revoked !== undefined && <RevokeDialog user={user} token={revoked} onClose={() => setRevoked(undefined)} />}
    </Page>
  );
};

const CreateDialog = ({ user, onClose }: { readonly user: string; readonly onClose: () => void }) => {
  const [description, setDescription] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [openedAt] = useState(Date.now);
  const [text, setText] = useState<string>();
  const action = useAction({
    invalidates: [`/users/${user}/authentication-tokens`],
    onDone: ({ document }: { readonly document: { readonly data: Schemas['NewAuthenticationToken'] } }) =>
      setText(document.data.attributes.token),
  });
  if (text !== undefined) return <NewToken text={text} onClose={onClose} />;
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
  onClose,
}: {
  readonly user: string;
  readonly token: Token;
  readonly onClose: () => void;
}) => {
  const action = useAction({
    invalidates: [`/users/${user}/authentication-tokens`],
    onDone: () => {
      toast('Revoked the token.');
      onClose();
    },
  });
  return (
    <ActionDialog
      title={`Revoke “${token.attributes.description ?? token.id}”`}
      description="Everything that uses it is signed out. This cannot be undone. If you are signed in with it, your session ends."
      submitLabel="Revoke"
      isDangerous
      action={action}
      request={revokeToken(token.id)}
      onClose={onClose}
    />
  );
};
