import { Link, Outlet, useElementScrollRestoration, useParams, useRouterState } from '@tanstack/react-router';
import { type FocusEvent, lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import './shell.css';
import { keptFor } from '../api/kept-page.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Skeleton } from '../components/loaded.tsx';
import { leavePage, Toasts } from '../components/toast.tsx';
import { useStore } from '../lib/store.ts';
import { useMediaQuery } from '../lib/use-media-query.ts';
import { AccountMenu } from './account-menu.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { organizationPageGroups, userPages } from './navigation.ts';
import { OrganizationMenu } from './organization-menu.tsx';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })));
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then(({ ShortcutsDialog }) => ({ default: ShortcutsDialog })),
);
const SignInAgain = lazy(() => import('../pages/sign-in.tsx').then(({ SignInAgain }) => ({ default: SignInAgain })));

/** Frame of all pages for signed-in users: header, navigation and the page. */
export const Shell = () => {
  const opened = useParams({ strict: false }).organization;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isOfUser = userPages.some(({ to }) => to === path);
  // Pages of the user keep the organization from which they were opened.
  const [last, setLast] = useState(opened);
  if (opened !== undefined && opened !== last) setLast(opened);
  const organization = isOfUser ? last : opened;
  const shownPath = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const position = useElementScrollRestoration({ id: 'main' })?.scrollY ?? 0;
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  const isKept = useStore(keptFor) !== undefined;
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  const [isMenuWanted, setMenuOpen] = useState(false);
  const isMenuOpen = useMediaQuery('(width < 900px)') && isMenuWanted;
  const menuButton = useRef<HTMLButtonElement>(null);
  const navigation = useRef<HTMLElement>(null);
  const main = useRef<HTMLElement>(null);
  const typed = useRef('');
  const openPalette = () => {
    typed.current = '';
    setOpen('palette');
  };
  useShortcuts({
    organization,
    openPalette,
    openHelp: () => setOpen('shortcuts'),
    typeEarly: (character) => {
      if (open !== 'palette') return false;
      typed.current += character;
      return true;
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when another page is opened
  useEffect(() => {
    setMenuOpen(false);
    leavePage();
  }, [path]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when another page is shown
  useLayoutEffect(() => {
    main.current?.scrollTo(0, position);
  }, [shownPath]);
  useEffect(() => {
    if (!isMenuOpen) return;
    navigation.current?.querySelector('a')?.focus();
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setMenuOpen(false);
      menuButton.current?.focus();
    };
    document.addEventListener('keydown', closeOnEscape);
    return () => document.removeEventListener('keydown', closeOnEscape);
  }, [isMenuOpen]);
  const leaveMenu = ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
    if (!(relatedTarget instanceof Node) || relatedTarget === menuButton.current) return;
    if (!currentTarget.contains(relatedTarget)) setMenuOpen(false);
  };
  const groups = isOfUser
    ? [{ title: 'Account', pages: userPages }]
    : organization !== undefined
      ? organizationPageGroups
      : [];
  const paletteLabel = organization === undefined ? 'Open an organization or a page' : 'Find anything';
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      {isLoading && <div className="shell-progress" role="progressbar" aria-label="Loading the page" />}
      <header className="shell-header">
        {groups.length > 0 && (
          <span className="shell-menu-button">
            <Button
              ref={menuButton}
              look="quiet"
              icon="menu"
              label={isMenuOpen ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={isMenuOpen}
              aria-controls="navigation"
              onClick={() => setMenuOpen(!isMenuOpen)}
            />
          </span>
        )}
        <Link to="/" search={{ all: 'true' }} className="shell-brand">
          Holdfast
        </Link>
        <OrganizationMenu organization={organization} />
        <span className="shell-space" />
        <Button look="secondary" icon="search" onClick={openPalette} aria-keyshortcuts="Control+K">
          <span className="shell-wide">
            {paletteLabel} <kbd>Ctrl K</kbd>
          </span>
          <span className="shell-narrow visually-hidden">{paletteLabel}</span>
        </Button>
        <AccountMenu openHelp={() => setOpen('shortcuts')} />
      </header>
      {groups.length > 0 && (
        <nav
          id="navigation"
          ref={navigation}
          className={`shell-navigation${isMenuOpen ? ' is-open' : ''}`}
          aria-label={isOfUser ? 'Account' : 'Organization'}
          onBlur={leaveMenu}
        >
          {isOfUser && organization !== undefined && (
            <Link to="/$organization" params={{ organization }} className="navigation-link">
              <Icon name="home" />
              Back to {organization}
            </Link>
          )}
          {groups.map(({ title, pages }) => (
            <div key={title} className="navigation-group">
              <p className="navigation-title" aria-hidden="true">
                {title}
              </p>
              <ul aria-label={title}>
                {pages.map(({ to, label, icon }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      {...(organization !== undefined && { params: { organization } })}
                      // Every page is below the home.
                      activeOptions={{ exact: to === '/$organization' }}
                      className="navigation-link"
                    >
                      <Icon name={icon} />
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
      )}
      {/* A second way to close it; for the keyboard there is Escape. */}
      {isMenuOpen && <div className="shell-backdrop" aria-hidden="true" onClick={() => setMenuOpen(false)} />}
      <main id="main" ref={main} data-scroll-restoration-id="main" className="shell-main" tabIndex={-1}>
        <ConnectionNotice />
        <Suspense fallback={<Skeleton />}>
          <Outlet />
        </Suspense>
      </main>
      <Suspense>
        {open === 'palette' && <Palette organization={organization} typed={typed} onClose={() => setOpen(undefined)} />}
        {open === 'shortcuts' && <ShortcutsDialog onClose={() => setOpen(undefined)} />}
        {isKept && <SignInAgain />}
      </Suspense>
      <Toasts />
    </div>
  );
};
