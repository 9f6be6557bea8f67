import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { PageTitle } from '../components/page.tsx';

/** Shown for a path that the console does not have. */
export const NotFoundPage = () => (
  <main className="page">
    <PageTitle title="Not found" />
    <h1>There is no such page</h1>
    <p>
      Continue with your <Link to="/">organizations</Link>.
    </p>
  </main>
);

/** Shown in place of a page that has failed, such as when its script cannot be loaded. */
export const ErrorPage = ({ error, reset }: ErrorComponentProps) => (
  <div className="page">
    <PageTitle title="Error" />
    <h1>This page has failed</h1>
    <Notice
      kind="danger"
      isLive
      actions={
        <>
          <Button onClick={reset}>Try again</Button>
          <Button onClick={() => window.location.reload()}>Reload the console</Button>
        </>
      }
    >
      <p>{error instanceof Error ? error.message : String(error)}</p>
    </Notice>
  </div>
);
