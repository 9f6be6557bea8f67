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

/** The parts of the address of the page of a thing. */
type PagePath = readonly [organization: string, list: string, id: string];

const addressOf = (path: PagePath): string => `/${path.map(encodeURIComponent).join('/')}`;

/** Returns the pages other than that at an address. */
const withoutPage = (address: string): readonly RecentPage[] => recentPages().filter(({ path }) => path !== address);

const writePages = (pages: readonly RecentPage[]): void => writeText('sessionStorage', KEY, JSON.stringify(pages));

/**
 * Keeps the page of a thing once its name is known.
 * @param path not that of the browser, which changes while the page is still there.
 */
export const useRecentPage = (path: PagePath, name?: string): void => {
  const address = addressOf(path);
  useEffect(() => {
    if (name === undefined) return;
    writePages([{ path: address, name }, ...withoutPage(address)].slice(0, KEPT));
  }, [address, name]);
};

/** Forgets the page of a thing that was deleted. */
export const forgetPage = (path: PagePath): void => writePages(withoutPage(addressOf(path)));

/** Forgets the page at an address, where nothing was found. */
export const useForgottenPage = (address: string): void => {
  useEffect(() => writePages(withoutPage(address)), [address]);
};

/** Forgets all pages. */
export const forgetPages = (): void => writeText('sessionStorage', KEY, null);
