import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { listOrganizations, organizationsQuery } from '../api/organizations.ts';
import { send } from '../api/send.ts';
import { startSession } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { Form, FormErrors, TextField } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { PageTitle } from '../components/page.tsx';
import { Toasts } from '../components/toast.tsx';
import './sign-in.css';

const route = getRouteApi('/sign-in');

/** Path of the console to continue with: never another host. */
const isOwnPath = (path: string | undefined): path is string => path !== undefined && /^\/(?![/\\])/.test(path);

/** Signs in with a token, and continues with the page that the user has asked for. */
export const SignInPage = () => {
  const { to, reason } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [token, setToken] = useState('');
  const signIn = useMutation({
    // Sent once: another attempt is the decision of the user.
    retry: false,
    mutationFn: async (entered: string) => {
      const bearer = entered.trim();
      if (bearer === '') throw tokenError("Token can't be blank.");
      try {
        return await send(listOrganizations(), { token: bearer });
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) {
          throw tokenError('The service does not accept this token. It may be mistyped, revoked or expired.');
        }
        // Tokens that cannot list organizations, such as those of runs, are valid.
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
    onSuccess: (reply, entered) => {
      startSession(entered.trim());
      if (reply !== undefined) queryClient.setQueryData(organizationsQuery().queryKey, reply);
      // The Back button leads to the page before, not to this one.
      if (isOwnPath(to)) router.history.replace(`/app${to.replace(/^\/app(?=\/)/, '')}`);
      else router.navigate({ to: '/', replace: true });
    },
  });
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
            <p>The service no longer accepts your token. Sign in to continue where you were.</p>
          </Notice>
        )}
        <Form error={signIn.error} onSubmit={() => signIn.mutate(token)}>
          <div className="stack">
            <FormErrors />
            <TextField
              name="token"
              type="password"
              label="Token"
              hint="It stays in this tab and is removed when you sign out or close the tab."
              value={token}
              onChange={setToken}
              isCode
              autoFocus
            />
            <Button type="submit" look="primary" isPending={signIn.isPending}>
              Sign in
            </Button>
          </div>
        </Form>
        <details>
          <summary>Where do I get a token?</summary>
          <div className="stack sign-in-help">
            <p>
              The command npm start prints one. If you are signed in elsewhere, create one there on the page Your
              tokens. Otherwise ask the person who operates this service to create the first one, with your user name:
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
