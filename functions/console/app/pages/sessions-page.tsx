import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound } from '../../../../shared/client/errors.ts';
import { deleteSession, listSessions } from '../../../../shared/client/sessions.ts';
import type { Schemas } from '../../../../shared/client/types.ts';
import { allPagesQuery, queryKeyOf } from '../api/query-client.ts';
import { sendPatiently } from '../api/send.ts';
import { endSession } from '../api/session.ts';
import { actionColumn } from '../components/action-column.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Curl } from '../components/curl.tsx';
import { DataTable, toColumns } from '../components/data-table.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Form, FormErrors } from '../components/form.tsx';
import { ListMenu } from '../components/list-menu.tsx';
import { Loaded } from '../components/loaded.tsx';
import { toast } from '../components/toast.tsx';
import { toVisible } from '../components/visible-text.tsx';
import { browserName } from '../lib/browser-name.ts';
import { formatExact } from '../lib/format-time.ts';
import { runAll } from '../lib/run-all.ts';
import { formatCount } from '../lib/words.ts';
import { UserPage, WithAccount } from './user-page.tsx';

const TITLE = 'Your sessions';

/** Lists the sessions of the user, and ends them. */
export const SessionsPage = () => (
  <WithAccount title={TITLE}>{({ data: { id } }) => <Sessions user={id} />}</WithAccount>
);

type Session = Schemas['Session'];

/** The sessions that a dialog is about to end: that of this browser, or others. */
interface Chosen {
  readonly title: string;
  readonly sessions: readonly Session[];
}

const Sessions = ({ user }: { readonly user: string }) => {
  const request = (page: number) => listSessions(user, page);
  const list = useQuery(allPagesQuery(request));
  const [chosen, setChosen] = useState<Chosen>();
  const sessions = list.data?.flatMap(({ data }) => data) ?? [];
  const others = sessions.filter(({ attributes }) => !attributes.current);
  return (
    <UserPage
      title={TITLE}
      actions={
        <>
          <ListMenu title={TITLE} request={request(1)} />
          {others.length > 0 && (
            <Button onClick={() => setChosen({ title: 'End all other sessions', sessions: others })}>
              End all others
            </Button>
          )}
        </>
      }
    >
      <p className="muted">
        A sign-in at an identity provider starts a session in one browser. Ending it does not revoke tokens, such as
        those of terraform login: these are on the page <Link to="/settings/tokens">Your tokens</Link>.
      </p>
      <Loaded query={list}>
        {() =>
          sessions.length === 0 ? (
            <EmptyState title="You are signed in with a token">
              <p className="muted">
                It starts no session. <Link to="/settings/tokens">Your tokens</Link> has your tokens.
              </p>
            </EmptyState>
          ) : (
            <DataTable
              label={TITLE}
              rows={sessions}
              rowKey={({ id }) => id}
              columns={toColumns<Session>({
                'user-agent': { name: 'Session', cell: ({ attributes }) => <Browser {...attributes} /> },
                'started-at': true,
                'used-at': { name: 'Last used' },
                'expires-at': { name: 'Ends' },
                'idle-minutes': false,
                // Shown with the browser.
                provider: false,
                current: false,
                Actions: actionColumn(
                  ({ attributes }) =>
                    `the session at ${attributes.provider} of ${formatExact(new Date(attributes['started-at']))}`,
                  [
                    {
                      label: 'End',
                      isDangerous: true,
                      onClick: (session) => setChosen({ title: 'End the session', sessions: [session] }),
                    },
                  ],
                ),
              })}
            />
          )
        }
      </Loaded>
      {chosen !== undefined && <EndDialog {...chosen} user={user} onClose={() => setChosen(undefined)} />}
    </UserPage>
  );
};

/** Names the browser of a session, and the identity provider alone if the browser is not known. */
const Browser = ({ 'user-agent': userAgent, provider, current }: Session['attributes']) => (
  <>
    <span className="cluster">
      <span title={userAgent ?? undefined}>{toVisible(userAgent === null ? provider : browserName(userAgent))}</span>
      {current && <Badge kind="info">this session</Badge>}
    </span>
    {userAgent !== null && <div className="muted">{toVisible(provider)}</div>}
  </>
);

interface EndDialogProps extends Chosen {
  readonly user: string;
  readonly onClose: () => void;
}

/** Ends a session. That somebody else has ended it is no error. */
const end = async ({ id }: Session): Promise<void> => {
  try {
    await sendPatiently(deleteSession(id));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

const EndDialog = ({ title, sessions, user, onClose }: EndDialogProps) => {
  const queryClient = useQueryClient();
  const isCurrent = sessions.some(({ attributes }) => attributes.current);
  const count = formatCount(sessions.length, 'session');
  const ending = useMutation({
    retry: false,
    mutationFn: () => runAll(sessions, end),
    onSuccess: () => {
      if (isCurrent) return endSession('signed-out');
      toast(`Ended ${count}.`);
      onClose();
    },
    onSettled: () => !isCurrent && queryClient.invalidateQueries({ queryKey: queryKeyOf(`/users/${user}`) }),
  });
  return (
    <Dialog
      title={title}
      description={
        isCurrent
          ? 'It is the session of this browser: this signs you out.'
          : `${count} will end. You are signed out there within five seconds.`
      }
      onClose={onClose}
    >
      <Form error={ending.error} onSubmit={() => ending.mutate()}>
        <DialogBody>
          <FormErrors />
        </DialogBody>
        <DialogActions>
          <Curl requests={sessions.map(({ id }) => deleteSession(id))} />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" isPending={ending.isPending}>
            {isCurrent ? 'End and sign out' : 'End'}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
};
