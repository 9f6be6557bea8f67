import type { Page } from 'playwright-core';

const HOUR = 3_600_000;

const userAgents = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
];

const session = (index: number, provider: string, current: boolean) => {
  const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
  return {
    id: `ss-111111111111111${index}`,
    type: 'sessions',
    attributes: {
      provider,
      'started-at': at(-2 - index),
      'used-at': at(index * -0.2),
      'expires-at': at(10 - index),
      'idle-minutes': 60,
      'user-agent': userAgents[index] ?? null,
      current,
    },
  };
};

const identity = (index: number, provider: string, issuer: string, subject: string) => ({
  id: `li-${index}`,
  type: 'linked-identities',
  attributes: { provider, issuer, subject, 'linked-at': new Date(Date.now() - index * 30 * 24 * HOUR).toISOString() },
});

/**
 * Answers requests for the sessions and the linked identities of the user, which a service without identity providers lacks.
 * @param subject of an identity.
 */
export const serveSignIns = async (page: Page, subject: string): Promise<void> => {
  const serve = (pattern: RegExp, data: readonly object[]) =>
    page.route(pattern, (route) => {
      const pagination = { 'current-page': 1, 'page-size': 100, 'total-pages': 1, 'total-count': data.length };
      const body = JSON.stringify({ data, links: {}, meta: { pagination } });
      return route.fulfill({ contentType: 'application/vnd.api+json', body });
    });
  await serve(/\/users\/[^/]+\/sessions/, [
    session(0, 'entra', true),
    session(1, 'entra', false),
    session(2, subject, false),
  ]);
  await serve(/\/users\/[^/]+\/linked-identities/, [
    identity(
      1,
      'entra',
      'https://login.microsoftonline.com/8a2f7c1e-0000-4000-8000-d3adb33fcafe/v2.0',
      'AAAAAAAAAAAAAAAA',
    ),
    identity(2, 'keycloak', 'https://id.example.com/realms/people', subject),
  ]);
};
