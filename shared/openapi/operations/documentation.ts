import Type from 'typebox';
import { LOGIN_CLIENT, LOGIN_PORTS } from '../../domain/sign-in/login.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { constant, count, list, object, optional, text } from '../../schemas/schema.ts';
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

/** Service discovery of `terraform login` (LOGIN-1). */
export const login = {
  'login.v1': {
    client: LOGIN_CLIENT,
    grant_types: ['authz_code'],
    authz: '/oauth2/authorize',
    token: '/oauth2/token',
    ports: LOGIN_PORTS,
  },
};

/** Service discovery (HTTP-2): one service, under each of the names that clients look for. */
export const services = Object.fromEntries(['tfe.v2', 'tfe.v2.1', 'tfe.v2.2'].map((name) => [name, `${BASE_PATH}/`]));

/** Documentation, service discovery and the command line (HTTP-2, HTTP-47). */
export const documentation = {
  name: 'Documentation',
  description: 'Documentation of the API, service discovery and the command line; no token is needed.',
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
      description:
        'Command line tools for infrastructure as code use it to find the API, and how to log in. The response is the same for every token, also an expired one.',
      rule: 'HTTP-2',
      response: file(
        'application/json',
        'The path of each service of the host.',
        object({
          'login.v1': optional(
            object({
              client: constant(LOGIN_CLIENT),
              grant_types: list(constant('authz_code'), 'Grants of the login.'),
              authz: constant(login['login.v1'].authz),
              token: constant(login['login.v1'].token),
              ports: list(count('Port.'), 'First and last port on which the command line waits.'),
            }),
          ),
          ...Object.fromEntries(Object.entries(services).map(([service, path]) => [service, constant(path)])),
        }),
      ),
    },
    'documentation.command-line': {
      summary: 'Download the command line',
      description: 'The command line `holdfast` that fits this deployment. It needs Node 22.12 or newer.',
      rule: 'HTTP-47',
      response: file('text/javascript; charset=utf-8', 'An ES module for Node.', text()),
    },
    'documentation.command-line-checksum': {
      summary: 'Download the checksum of the command line',
      rule: 'HTTP-47',
      response: file('text/plain; charset=utf-8', 'A line as `sha256sum` prints it for `holdfast.mjs`.', text()),
    },
  },
} satisfies Group;
