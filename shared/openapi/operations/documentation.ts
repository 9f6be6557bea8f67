import Type from 'typebox';
import { BASE_PATH } from '../../routes/api.ts';
import { constant, object, text } from '../../schemas/schema.ts';
import { file, type Group } from '../operation.ts';

/** Public information about the service (HTTP-1). */
export const service = {
  name: 'Service',
  description: 'Public information about the service.',
  operations: {
    ping: {
      summary: 'Check that the service responds',
      description: 'The headers state the version of the API.',
      rule: 'HTTP-1',
    },
  },
} satisfies Group;

/** Service discovery (HTTP-2): one service, under each of the names that clients look for. */
export const discovery = Object.fromEntries(['tfe.v2', 'tfe.v2.1', 'tfe.v2.2'].map((name) => [name, `${BASE_PATH}/`]));

/** Documentation and service discovery (HTTP-2). */
export const documentation = {
  name: 'Documentation',
  description: 'Documentation of the API and service discovery; no token is needed.',
  operations: {
    'documentation.openapi': {
      summary: 'Get the OpenAPI document',
      rule: 'HTTP-2',
      response: file('application/json', 'An OpenAPI 3.1 document.', Type.Unsafe({ type: 'object', minProperties: 1 })),
    },
    'documentation.page': {
      summary: 'Read the API documentation',
      rule: 'HTTP-2',
      response: file('text/html; charset=utf-8', 'A page that loads no other files.', text()),
      headers: {
        'Content-Security-Policy': text('Prevents the page from loading other files.'),
      },
    },
    'documentation.discovery': {
      summary: 'Discover the API (service discovery)',
      description: 'Command line tools for infrastructure as code use it to find the API.',
      rule: 'HTTP-2',
      response: file(
        'application/json',
        'The path of each service of the host.',
        object(Object.fromEntries(Object.entries(discovery).map(([service, path]) => [service, constant(path)]))),
      ),
    },
  },
} satisfies Group;
