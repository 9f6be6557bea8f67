import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { allowLogin, type LoginSearch, showConsent } from '../../../../shared/client/login.ts';
import { createUserToken } from '../../../../shared/client/tokens.ts';
import type { Schemas } from '../../../../shared/client/types.ts';
import { apiQuery } from '../api/query-client.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Loaded } from '../components/loaded.tsx';
import { NewToken } from '../components/new-token.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { Facts, Page, Section } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { ForPerson } from './for-person.tsx';

const route = getRouteApi('/signed-in/settings/login');

const title = { title: 'Sign in on the command line', isNarrow: true };

/** Lets the user allow or deny a token for a command line. `terraform login` and `tofu login` open it (LOGIN-4). */
export const LoginPage = () => {
  const { port, state, code_challenge } = route.useSearch();
  if (port === undefined || state === undefined || code_challenge === undefined) {
    return (
      <Page {...title}>
        <Notice kind="info" title="There is no login">
          <p>The commands terraform login and tofu login open this page. Run one of them in a terminal.</p>
        </Notice>
      </Page>
    );
  }
  return (
    <ForPerson {...title}>
      {(person) => <Consent {...person} request={{ port: Number(port), state, code_challenge }} />}
    </ForPerson>
  );
};

interface ConsentProps {
  /** Id and name of the user. */
  readonly user: string;
  readonly name: string;
  readonly request: LoginSearch;
}

const Consent = ({ user, name, request }: ConsentProps) => {
  const consent = useQuery(apiQuery(showConsent()));
  const [outcome, setOutcome] = useState<'allowed' | 'denied'>();
  const allow = useAction({
    onDone: ({ document }: { readonly document: { readonly redirect_to: string } }) => {
      setOutcome('allowed');
      // In place of this page, so that the history of the browser does not lead back to a request that is over.
      window.location.replace(document.redirect_to);
    },
  });
  if (outcome === 'denied') {
    return (
      <Page {...title}>
        <Notice kind="info" title="The login is denied" isLive>
          <p>The command line still waits: press Ctrl-C in the terminal. You can close this page.</p>
        </Notice>
      </Page>
    );
  }
  return (
    <Page {...title}>
      <Loaded query={consent}>
        {({ document: { expires_at: expiresAt } }) => (
          <>
            <Section
              title="Allow a token for this computer?"
              description="Allow it only if you have just run terraform login or tofu login yourself. The token may do everything that you may do. Give nobody the address of the page that follows."
            >
              <Facts
                facts={[
                  ['User', name],
                  ['Service', window.location.host],
                  ['Token for', `terraform or tofu on this computer, which waits on port ${request.port}`],
                  ['Expires', <Time key="expiry" value={expiresAt} isFull />],
                ]}
              />
              {allow.error !== null && (
                <ErrorNotice error={allow.error} onRetry={() => allow.run(allowLogin(request))} />
              )}
              <div className="cluster">
                <Button
                  look="primary"
                  isPending={allow.isPending || outcome === 'allowed'}
                  onClick={() => allow.run(allowLogin(request))}
                >
                  Allow
                </Button>
                <Button onClick={() => setOutcome('denied')}>Deny</Button>
              </div>
            </Section>
            <CopyToken user={user} expiresAt={expiresAt} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

const CopyToken = ({ user, expiresAt }: { readonly user: string; readonly expiresAt: string }) => {
  const { host, origin, protocol } = window.location;
  const [created, setCreated] = useState<Schemas['NewAuthenticationToken']['attributes']>();
  const action = useAction({
    invalidates: [`/users/${user}/authentication-tokens`],
    onDone: ({ document }: { readonly document: { readonly data: Schemas['NewAuthenticationToken'] } }) =>
      setCreated(document.data.attributes),
  });
  return (
    <Section
      title="Is the command line on another computer?"
      description={`This browser cannot reach it then. Press Ctrl-C there, run holdfast login ${protocol === 'https:' ? host : origin}, and paste a token, which expires at the same time.`}
    >
      {action.error !== null && <ErrorNotice error={action.error} />}
      <div className="cluster">
        <Button
          isPending={action.isPending}
          onClick={() => action.run(createUserToken(user, 'Copied in place of a login', expiresAt))}
        >
          Copy a token instead
        </Button>
      </div>
      {created !== undefined && (
        <NewToken title="New token" attributes={created} onClose={() => setCreated(undefined)} />
      )}
    </Section>
  );
};
