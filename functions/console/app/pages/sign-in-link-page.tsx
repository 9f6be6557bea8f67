import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { signInByLink } from '../api/browser-session.ts';
import { keptFor } from '../api/kept-page.ts';
import { startSession } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { PageTitle } from '../components/page.tsx';
import { toVisible } from '../components/visible-text.tsx';
import './sign-in.css';

/** Text of a sign-in link: the name of its user, a dot, and its secret. */
const LINK = /^([\w-]+)\.\w+$/;

/**
 * Signs in with a link of an operator, once the user agrees: programs that open links in advance do not use it up. The user
 * sees whose link it is, because a link of somebody else would sign in as that person.
 */
export const SignInLinkPage = () => {
  const [link] = useState(() => window.location.hash.slice(1));
  const router = useRouter();
  const queryClient = useQueryClient();
  // The history of the browser does not keep the link.
  useEffect(() => router.history.replace(window.location.pathname), [router]);
  const signIn = useMutation({
    // A link works once.
    retry: false,
    mutationFn: () => signInByLink(link),
    onSuccess: (session) => {
      keptFor.set(undefined);
      queryClient.clear();
      startSession(session.token, session);
      router.navigate({ to: '/', replace: true });
    },
  });
  const [, username] = LINK.exec(link) ?? [];
  return (
    <main className="sign-in">
      <PageTitle title="Sign in with a link" />
      <div className="sign-in-card stack">
        <header>
          <p className="sign-in-brand">Holdfast</p>
          <h1>Sign in with a link</h1>
        </header>
        {username === undefined ? (
          <Notice kind="warning" title="The link is incomplete">
            <p>Copy the whole link that the operators of this service gave you, and open it again.</p>
          </Notice>
        ) : (
          <>
            <p>
              This link signs you in as <strong>{toVisible(username)}</strong> for an hour, and works once. Continue
              only if that is you, and you have requested the link from the operators of this service.
            </p>
            {signIn.error !== null && <ErrorNotice error={signIn.error} />}
            <Button look="primary" isPending={signIn.isPending} onClick={() => signIn.mutate()}>
              <span>Sign in as {toVisible(username)}</span>
            </Button>
          </>
        )}
      </div>
    </main>
  );
};
