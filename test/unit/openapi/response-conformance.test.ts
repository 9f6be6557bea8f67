import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../shared/openapi/document.ts';
import { exampleOf } from '../../../shared/openapi/example.ts';
import { type Exchange, requireDocumented } from '../../support/api/response-conformance.ts';

/** Tests that the harness of the endpoint tests reports responses that contradict the OpenAPI document. */
const headers = {
  'tfp-api-version': '2.6',
  'tfp-appname': 'Holdfast',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-type': 'application/vnd.api+json',
  etag: '"Rh8cHq2c3bWm0xPt"',
};
const { schemas } = documentOf('self-hosted').components;
// biome-ignore lint/suspicious/noExplicitAny: a whole workspace.
const workspace: any = exampleOf({ $ref: '#/components/schemas/Workspace' }, schemas);

// biome-ignore lint/suspicious/noExplicitAny: as above.
const organization: any = exampleOf({ $ref: '#/components/schemas/Organization' }, schemas);

const shown: Exchange = {
  edition: 'self-hosted',
  route: 'workspaces.show',
  request: 'GET /workspaces/ws-1111111111111111',
  requestBody: Buffer.alloc(0),
  status: 200,
  headers,
  body: { data: workspace },
};
const including: Exchange = {
  ...shown,
  request: `${shown.request}?include=organization`,
  body: { data: workspace, included: [organization] },
};
const rejected: Exchange = {
  ...shown,
  status: 404,
  body: { errors: [{ status: '404', title: 'not found' }] },
};
const updated: Exchange = { ...shown, route: 'workspaces.update', request: 'PATCH /workspaces/ws-1111111111111111' };
const lost: Exchange = { ...rejected, route: undefined };

const without = <T extends object>(record: T, key: keyof T): T =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key)) as T;
const withAttributes = (attributes: object): Exchange => ({ ...shown, body: { data: { ...workspace, attributes } } });

describe('a response that conforms to the OpenAPI document', () => {
  it.each(Object.entries({ shown, including, rejected, updated, lost }))('passes (%s)', (_, exchange) => {
    expect(() => requireDocumented(exchange)).not.toThrow();
  });
});

describe('a response that does not conform to the OpenAPI document', () => {
  const { attributes, relationships } = workspace;
  it.each<readonly [string, Exchange, RegExp]>([
    [
      'it has an unknown attribute',
      withAttributes({ ...attributes, color: 'red' }),
      /attributes must NOT have .*\(color\)/,
    ],
    ['it lacks an attribute', withAttributes(without(attributes, 'name')), /must have required property 'name'/],
    [
      'it has null for an attribute that is never null',
      withAttributes({ ...attributes, name: null }),
      /name must be string/,
    ],
    [
      'it has an attribute of the other edition',
      withAttributes({ ...attributes, 'assessments-enabled': false }),
      /\(assessments-enabled\)/,
    ],
    [
      'it has a relationship without a type',
      {
        ...shown,
        body: { data: { ...workspace, relationships: { ...relationships, project: { data: { id: 'x' } } } } },
      },
      /project\/data must have required property 'type'/,
    ],
    ['it has an unknown top-level member', { ...shown, body: { data: workspace, more: 1 } }, /\(more\)/],
    ['it has another resource type', { ...shown, body: { data: { ...workspace, type: 'vars' } } }, /must be equal to/],
    ['it has a status that is not documented', { ...shown, status: 201 }, /the status 201 is not documented/],
    ['it has the status 500', { ...shown, status: 500 }, /the status 500 is not documented/],
    [
      'it has another media type',
      { ...shown, headers: { ...headers, 'content-type': 'text/html' } },
      /media type is text/,
    ],
    ['it has no media type', { ...shown, headers: without(headers, 'content-type') }, /media type is undefined/],
    [
      'it lacks the API version',
      { ...shown, headers: without(headers, 'tfp-api-version') },
      /TFP-API-Version is missing/,
    ],
    [
      'it has another API version',
      { ...shown, headers: { ...headers, 'tfp-api-version': '2' } },
      /header TFP-API-Version/,
    ],
    ['an error has another title', { ...rejected, body: { errors: [{ status: '404', title: 'gone' }] } }, /title/],
    ['an error document contains no errors', { ...rejected, body: { errors: [] } }, /fewer than 1/],
    ['it lacks Retry-After', { ...rejected, status: 503 }, /Retry-After is missing/],
    ['it has a body although none is documented', { ...shown, route: 'ping', status: 204 }, /there is a body/],
    [
      'the accepted request body does not conform',
      { ...updated, requestBody: Buffer.from('{"data":{"type":"vars"}}') },
      /the request's body, which was accepted: \/data\/type/,
    ],
    [
      'it includes resources that were not requested',
      { ...shown, body: { data: workspace, included: [] } },
      /nobody asked for `included`/,
    ],
    [
      'it includes a resource twice',
      { ...including, body: { data: workspace, included: [organization, organization] } },
      /organizations acme is in it twice/,
    ],
    [
      'it includes a resource that no relationship refers to',
      { ...including, body: { data: workspace, included: [{ ...organization, id: 'other' }] } },
      /nothing refers to the included organizations other/,
    ],
    ['it is a success on an unknown path', { ...lost, status: 200 }, /the status 200 is not documented/],
  ])('is rejected: %s', (_, exchange, complaint) => {
    expect(() => requireDocumented(exchange)).toThrow(complaint);
  });
});
