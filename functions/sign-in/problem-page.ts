import { hash } from 'node:crypto';
import { DomainError } from '../../shared/domain/errors.ts';
import { Page } from '../../shared/http/operation.ts';

/** A problem of a sign-in, for the person in front of the browser. All texts are plain. */
export interface Problem {
  /** The event, in a few words. */
  readonly title: string;
  /** The cause, in one or two sentences without any code, state or token. */
  readonly detail: string;
  /** The way out, and who can take it. */
  readonly remedy: string;
}

const STYLE = [
  'body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:12vh auto;padding:0 1.5rem}',
  'h1{font-size:1.4rem}',
  'p{overflow-wrap:anywhere}',
  ':root{color-scheme:light dark}',
].join('');

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/**
 * Creates the page that ends a sign-in: it redirects nowhere, has no script and no link, and is not stored.
 * @example
 * return problemPage({
 *   title: 'The sign-in has expired',
 *   detail: 'It was started more than ten minutes ago.',
 *   remedy: 'Go back to the console, and sign in again.',
 * });
 */
export const problemPage = (problem: Problem, status: 400 | 503 = 400): Page => {
  const [title, detail, remedy] = [problem.title, problem.detail, problem.remedy].map(escapeHtml);
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const body = `<main><h1>${title}</h1><p>${detail}</p><p>${remedy}</p></main>`;
  const html = `<!doctype html><html lang="en"><head>${head}<style>${STYLE}</style></head><body>${body}</body></html>`;
  return new Page(status, html, { 'content-security-policy': contentSecurityPolicy, 'referrer-policy': 'no-referrer' });
};

/** Creates the page for an error of the service that passes by itself. @throws any other error. */
export const unavailablePage = (error: unknown): Page => {
  if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
  const detail = 'The service does not respond in time.';
  return problemPage({ title: 'Try again shortly', detail, remedy: 'Load this page again in a minute.' }, 503);
};
