import type { Routes } from './route.ts';

const published = { method: 'GET', function: 'documentation', status: 200, authenticated: false } as const;

/** Documentation and discovery of the service, at the root of the host (HTTP-2). */
export const documentation = {
  'documentation.openapi': { ...published, path: '/openapi.json' },
  'documentation.page': { ...published, path: '/docs' },
  'documentation.discovery': { ...published, path: '/.well-known/terraform.json' },
} as const satisfies Routes;
