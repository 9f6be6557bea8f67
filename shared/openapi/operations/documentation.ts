import Type from 'typebox';
import { BASE_PATH } from '../../routes/api.ts';
import type { documentation as routes } from '../../routes/documentation.ts';
import { constant, object, text } from '../../schemas/schema.ts';
import { file, type Group } from '../operation.ts';

/**
 * The services of the host: one, under the names that different clients look for (HTTP-2). Reading another
 * workspace's state, and the provider, ask for versions of it.
 */
export const discovery = Object.fromEntries(['tfe.v2', 'tfe.v2.1', 'tfe.v2.2'].map((name) => [name, `${BASE_PATH}/`]));

/** What the service says about itself (HTTP-2). */
export const documentation: Group<keyof typeof routes> = {
  name: 'Documentation',
  description: 'What the service says about itself, to anyone.',
  operations: {
    'documentation.openapi': {
      summary: 'Get the OpenAPI document',
      rule: 'HTTP-2',
      answers: file('application/json', 'An OpenAPI 3.1 document.', Type.Unsafe({ type: 'object', minProperties: 1 })),
    },
    'documentation.page': {
      summary: 'Read the API documentation',
      rule: 'HTTP-2',
      answers: file('text/html; charset=utf-8', 'A page that loads nothing else.', text()),
      headers: {
        'Content-Security-Policy': { description: 'Lets the page load nothing.', schema: text() },
      },
    },
    'documentation.discovery': {
      summary: 'Discover the API (service discovery)',
      description: 'As the command line tools of infrastructure as code do.',
      rule: 'HTTP-2',
      answers: file(
        'application/json',
        'The path of each service that the host has.',
        object(Object.fromEntries(Object.entries(discovery).map(([service, path]) => [service, constant(path)]))),
      ),
    },
  },
};
