import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, isNotFound } from '../../../../shared/client/errors.ts';
import { listOrganizations, showAccount } from '../../../../shared/client/organizations.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Reply } from '../../../../shared/client/send.ts';
import { type IdentityProvider, listIdentityProviders } from '../../../../shared/client/sign-in.ts';
import { requestBrowserToken } from '../api/browser-session.ts';
import { keptFor } from '../api/kept-page.ts';
import { organizationsQuery } from '../api/organizations.ts';
import { send } from '../api/send.ts';
import { type RenewedToken, sessionUser, startSession } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Form, FormErrors, TextField } from '../components/form.tsx';
import { Skeleton } from '../components/loaded.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { PageTitle } from '../components/page.tsx';
import { Toasts, toastOnNextPage } from '../components/toast.tsx';
import { toVisible } from '../components/visible-text.tsx';
import { useStore } from '../lib/store.ts';
import './sign-in.css';

const route = getRouteApi('/sign-in');

/** Returns the organization of a path of the console. */
const organizationOf = (path = ''): string | undefined =>
  /^(?:\/app)?\/(?!settings\/(?:tokens|sessions|linked-identities|login|command-line)\b)([^/?]+)\/./.exec(path)?.[1];

/** Path of the console to continue with: never another host. */
const isOwnPath = (path: string | undefined): path is string => path !== undefined && /^\/(?![/\\])/.test(path);

/** Returns the whole path of a page of the console, whose path may lack `/app`. */
const toPath = (path: string): string => `/app${path.replace(/^\/app(?=[/?]|$)/, '')}`;

interface SignInProps<D> {
  /** Sent with a token, to learn whether it is accepted. */
  readonly request: ApiRequest<D>;
  /**
   * Called with the token, and what is known of one of an identity provider. The reply is undefined if the token may not read
   * what was requested.
   */
  readonly onAccepted: (token: string, reply: Reply<D> | undefined, renewed?: RenewedToken) => void;
}

/** Sends a request with a token. @returns undefined if the token is accepted, and may not read what is requested. */
const tryToken = async <D,>(request: ApiRequest<D>, token: string): Promise<Reply<D> | undefined> => {
  try {
    return await send(request, { token });
  } catch (error) {
    // Tokens that cannot list organizations, such as tokens of runs, are valid.
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const TokenForm = <D,>({
  request,
  onAccepted,
  hasFocus,
}: SignInProps<D> & {
  /** Whether the field has the focus at first. */
  readonly hasFocus: boolean;
}) => {
  const [token, setToken] = useState('');
  const signIn = useMutation({
    // Sent once: another attempt is the decision of the user.
    retry: false,
    mutationFn: async (entered: string) => {
      const bearer = entered.trim();
      if (bearer === '') throw tokenError("Token can't be blank.");
      try {
        return await tryToken(request, bearer);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) {
          throw tokenError('The service does not accept this token. It may be mistyped, revoked or expired.');
        }
        throw error;
      }
    },
    onSuccess: (reply, entered) => onAccepted(entered.trim(), reply),
  });
  return (
    <Form error={signIn.error} onSubmit={() => signIn.mutate(token)}>
      <div className="stack">
        <FormErrors />
        <TextField
          name="token"
          type="password"
          label="Token"
          hint="New tabs of this browser are signed in too, until you sign out or close all of them."
          value={token}
          onChange={setToken}
          isCode
          autoFocus={hasFocus}
        />
        <Button type="submit" look={hasFocus ? 'primary' : 'secondary'} isPending={signIn.isPending}>
          Sign in
        </Button>
      </div>
    </Form>
  );
};

/** Returns the address at which a browser signs in at an identity provider, and continues with a path of the console. */
const signInUrl = ({ attributes }: IdentityProvider, to: string): string =>
  `${attributes['sign-in-url']}?to=${encodeURIComponent(to)}`;

interface SignInChoicesProps<D> extends SignInProps<D> {
  /** Path of the console with which a sign-in at an identity provider continues. */
  readonly to: string;
  /** Whether a session that the browser has at an identity provider is left alone, because the user has just signed out. */
  readonly isSignedOut?: boolean;
  /** Whether a token is the only way: a sign-in at an identity provider would end the session of the other tabs. */
  readonly isTokenOnly?: boolean;
  /**
   * Id of the user whose page the tab shows, null if it is not known: anybody else is asked before the page continues. Without
   * it, the page belongs to nobody yet.
   */
  readonly user?: string | null | undefined;
  /** Whether the page has to stay open, so that identity providers open in another tab. */
  readonly isKept?: boolean;
}

/**
 * Continues with the session that the browser has at an identity provider, or lets the user choose how to sign in. Without
 * identity providers, a token is the only way.
 */
const SignInChoices = <D,>({
  to,
  isSignedOut = false,
  isTokenOnly = false,
  user,
  isKept = false,
  ...signIn
}: SignInChoicesProps<D>) => {
  const { request, onAccepted } = signIn;
  const isExpected = (found: RenewedToken) => user === undefined || user === found.user;
  // They stay known while the search is repeated, so that the form keeps its entries.
  const [providers, setProviders] = useState<readonly IdentityProvider[]>();
  const search = useMutation({
    retry: false,
    mutationFn: async () => {
      const listed = isTokenOnly ? [] : (await send(listIdentityProviders())).document.data;
      const found = listed.length === 0 || isSignedOut ? undefined : await requestBrowserToken();
      return { providers: listed, accepted: found && { ...found, reply: await tryToken(request, found.token) } };
    },
    onSuccess: ({ providers: listed, accepted }) => {
      setProviders(listed);
      if (accepted !== undefined && isExpected(accepted)) onAccepted(accepted.token, accepted.reply, accepted);
    },
  });
  const { mutate, data, error } = search;
  useEffect(() => {
    mutate();
    if (!isKept) return;
    // The user comes back from the tab in which the identity provider was open.
    const repeat = () => mutate();
    window.addEventListener('focus', repeat);
    return () => window.removeEventListener('focus', repeat);
  }, [mutate, isKept]);
  const accepted = data?.accepted;
  const isContinuing = accepted !== undefined && isExpected(accepted);
  if (isContinuing || (providers === undefined && error === null)) return <Skeleton lines={2} />;
  const hasProviders = providers !== undefined && providers.length > 0;
  const form = (
    <>
      <TokenForm {...signIn} hasFocus={!hasProviders} />
      <TokenHelp />
    </>
  );
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={() => mutate()} />}
      {accepted !== undefined && (
        <Notice
          kind="warning"
          isLive
          title={<>This browser is signed in as {toVisible(accepted.username)}</>}
          actions={
            <Button onClick={() => onAccepted(accepted.token, accepted.reply, accepted)}>
              <span>Continue as {toVisible(accepted.username)}</span>
            </Button>
          }
        >
          <p>This tab was not. Continue only if that is you.{isKept && ' Your entries are lost then.'}</p>
        </Notice>
      )}
      {providers?.map((provider) => (
        <a
          key={provider.id}
          className="button button-primary"
          href={signInUrl(provider, to)}
          {...(isKept && { target: '_blank', rel: 'noreferrer' })}
        >
          <span>Sign in with {toVisible(provider.attributes.label)}</span>
        </a>
      ))}
      {hasProviders ? (
        <details>
          <summary>Sign in with a token</summary>
          <div className="stack sign-in-help">{form}</div>
        </details>
      ) : (
        form
      )}
    </>
  );
};

const TokenHelp = () => (
  <details>
    <summary>Where do I get a token?</summary>
    <div className="stack sign-in-help">
      <p>
        The command npm start prints a link that signs you in, and stores a token in .holdfast/local.json. If you are
        signed in elsewhere, create one there on the page Your tokens. Otherwise ask the person who operates this
        service to create the first one, with your user name:
      </p>
      <CodeBlock
        label="On the computer that runs the service"
        code="npm run admin -- create-token --kind user --username YOUR_USERNAME"
      />
      <CodeBlock
        label="In AWS"
        code={`aws lambda invoke \\
  --function-name holdfast-admin \\
  --cli-binary-format raw-in-base64-out \\
  --payload '{"command":"create-token","kind":"user","username":"YOUR_USERNAME"}' \\
  /dev/stdout`}
      />
    </div>
  </details>
);

/**
 * Signs in above a page whose entries are kept. The page continues for the same user; for anybody else it is loaded anew, so
 * that nothing of it is left.
 */
export const SignInAgain = () => {
  const router = useRouter();
  const queryClient = useQueryClient();
  const user = useStore(keptFor);
  const discard = () => {
    const { pathname, searchStr } = router.state.location;
    router.navigate({ to: '/sign-in', search: { to: pathname + searchStr, reason: 'rejected' }, replace: true });
  };
  return (
    <Dialog
      title="Sign in again"
      description={`Your session has ended. Sign in as ${user?.attributes.username}, and your entries are still there. If you close this dialog, they are lost.`}
      hidesPage
      onClose={discard}
    >
      <DialogBody>
        <SignInChoices
          to="/app"
          user={user?.id}
          isKept
          request={showAccount()}
          onAccepted={(token, account, renewed) => {
            const isSame = account?.document.data.id === keptFor.get()?.id;
            startSession(token, renewed);
            if (!isSame) return window.location.reload();
            keptFor.set(undefined);
            queryClient.invalidateQueries();
          }}
        />
      </DialogBody>
    </Dialog>
  );
};

/** Signs in, and continues with the page that the user has asked for. */
export const SignInPage = () => {
  const { to, reason } = route.useSearch();
  const [former] = useState(() => (reason === 'rejected' ? sessionUser() : undefined));
  const router = useRouter();
  const queryClient = useQueryClient();
  useEffect(() => {
    // Nothing that a token has shown stays in memory.
    keptFor.set(undefined);
    queryClient.clear();
  }, [queryClient]);
  return (
    <main className="sign-in">
      <PageTitle title="Sign in" />
      <div className="sign-in-card stack">
        <header>
          <p className="sign-in-brand">Holdfast</p>
          <h1>Sign in</h1>
        </header>
        {reason === 'rejected' && (
          <Notice kind="warning" isLive title="Your session has ended">
            <p>Sign in to continue where you were.</p>
          </Notice>
        )}
        {reason === 'signed-out-elsewhere' && (
          <Notice kind="info" isLive title="You have signed out in another tab">
            <p>Tabs that were signed in with the same token or session are signed out, too.</p>
          </Notice>
        )}
        {reason === 'switch' && (
          <Notice kind="info" title="This tab only">
            <p>Other tabs stay signed in as they are, and so does this one until you sign in.</p>
          </Notice>
        )}
        <SignInChoices
          to={isOwnPath(to) ? toPath(to) : '/app'}
          isSignedOut={reason === 'signed-out' || reason === 'signed-out-elsewhere'}
          isTokenOnly={reason === 'switch'}
          user={former}
          request={listOrganizations()}
          onAccepted={(token, reply, renewed) => {
            startSession(token, renewed);
            // Requests of the former person may still be repeated by this page.
            if (reason === 'switch' || (renewed !== undefined && former !== undefined && renewed.user !== former)) {
              return window.location.replace(isOwnPath(to) ? toPath(to) : '/app');
            }
            if (reply !== undefined) queryClient.setQueryData(organizationsQuery().queryKey, reply);
            const organization = organizationOf(to);
            // An organization that accepts no tokens of users would reject the token again (ORG-5).
            const isRefused =
              reason === 'rejected' &&
              organization !== undefined &&
              reply?.document.data.every(({ id }) => id !== organization) === true;
            if (isRefused) toastOnNextPage(`The organization ${organization} does not accept your token.`, 'danger');
            // The Back button leads to the page before, not to this one.
            if (isOwnPath(to) && !isRefused) router.history.replace(toPath(to));
            else router.navigate({ to: '/', replace: true });
          }}
        />
        <p className="muted">
          <a href="/docs">API documentation</a>
        </p>
      </div>
      <Toasts />
    </main>
  );
};

const tokenError = (detail: string): ApiError =>
  new ApiError(401, [{ status: '401', title: 'unauthorized', detail, source: { pointer: '/token' } }]);
