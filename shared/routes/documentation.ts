import { type Routes, routesOf } from './route.ts';

const { get } = routesOf('documentation');
const published = { authenticated: false } as const;

/** Documentation and discovery of the service, and its command line, at the root of the host (HTTP-2, HTTP-47). */
export const documentation = {
  'documentation.openapi': get('/openapi.json', 200, published),
  'documentation.page': get('/docs', 200, published),
  'documentation.discovery': get('/.well-known/terraform.json', 200, published),
  'documentation.command-line': get('/cli/holdfast.mjs', 200, published),
  'documentation.command-line-checksum': get('/cli/holdfast.mjs.sha256', 200, published),
} satisfies Routes;
