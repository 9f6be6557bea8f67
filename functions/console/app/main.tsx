import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchActivity } from './api/browser-session.ts';
import { keepPage } from './api/kept-page.ts';
import { shareSession } from './api/other-tabs.ts';
import { createQueryClient } from './api/query-client.ts';
import { onSessionEnd } from './api/session.ts';
import { focusHeading, keepFocus } from './lib/focus.ts';
import { applyDisplay } from './lib/preferences.ts';
import { forgetPages } from './lib/recent-pages.ts';
import { createConsoleRouter } from './router.tsx';
import './styles/tokens.css';
import './styles/base.css';

applyDisplay();
// The host itself shows the console, which lives below /app.
if (!window.location.pathname.startsWith('/app')) window.history.replaceState(null, '', '/app');

const queryClient = createQueryClient();
const router = createConsoleRouter();

onSessionEnd((reason) => {
  forgetPages();
  if (reason === 'rejected' && keepPage(queryClient)) return;
  const { pathname, searchStr } = router.state.location;
  router.navigate({
    to: '/sign-in',
    search: { reason, ...(reason === 'rejected' && { to: pathname + searchStr }) },
    replace: true,
  });
});

keepFocus();
watchActivity();
shareSession();

/** Returns the part of a path that has a heading of its own: the pages of a workspace share one. */
const headingOf = (path: string): string => path.split('/').slice(0, 4).join('/');

router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
  if (fromLocation === undefined || !pathChanged) return;
  // After a change of the tab of a workspace, the focus stays on the tab.
  if (headingOf(fromLocation.pathname) !== headingOf(toLocation.pathname)) focusHeading();
});

const root = document.getElementById('root');
if (root === null) throw new TypeError('index.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
