import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { readText, writeText } from './browser-storage.ts';

/** A page of one thing, such as a workspace, that the user has opened. */
export interface RecentPage {
  /** Address below the base path, such as `/acme/workspaces/network`. */
  readonly path: string;
  readonly name: string;
}

/** They name what a token may see, so they end with the tab and with the session. */
const KEY = 'holdfast.recent';
const KEPT = 20;

/** Returns the pages that the user has opened in this tab, the last one first. */
export const recentPages = (): readonly RecentPage[] => JSON.parse(readText('sessionStorage', KEY) ?? '[]');

/** Keeps the page of a thing once its name is known. The pages of one workspace are one. */
export const useRecentPage = (name: string | undefined): void => {
  const path = useLocation({ select: ({ pathname }) => pathname.split('/').slice(0, 4).join('/') });
  useEffect(() => {
    if (name === undefined) return;
    const others = recentPages().filter((recent) => recent.path !== path);
    writeText('sessionStorage', KEY, JSON.stringify([{ path, name }, ...others].slice(0, KEPT)));
  }, [path, name]);
};

/** Forgets all pages. */
export const forgetPages = (): void => writeText('sessionStorage', KEY, null);
