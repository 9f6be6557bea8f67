import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../shared/openapi/document.ts';
import { exampleOf } from '../../../shared/openapi/example.ts';
import { type Exchange, requireDocumented } from '../../support/api/response-conformance.ts';

/** What the harness of the endpoint tests makes of answers that are not what the OpenAPI document says. */
const headers = {
  'tfp-api-version': '2.6',
  'tfp-appname': 'Holdfast',
  'cache-control': 'no-store',
  'content-type': 'application/vnd.api+json',
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
const refused: Exchange = {
  ...shown,
  status: 404,
  body: { errors: [{ status: '404', title: 'not found' }] },
};
const updated: Exchange = { ...shown, route: 'workspaces.update', request: 'PATCH /workspaces/ws-1111111111111111' };
const lost: Exchange = { ...refused, route: undefined };

const without = <T extends object>(record: T, key: keyof T): T =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key)) as T;
const withAttributes = (attributes: object): Exchange => ({ ...shown, body: { data: { ...workspace, attributes } } });

describe('an answer as the OpenAPI document says', () => {
  it.each(Object.entries({ shown, including, refused, updated, lost }))('passes: %s', (_, exchange) => {
    expect(() => requireDocumented(exchange)).not.toThrow();
  });
});

describe('an answer that it does not say', () => {
  const { attributes, relationships } = workspace;
  it.each<readonly [string, Exchange, RegExp]>([
    ['an attribute more', withAttributes({ ...attributes, color: 'red' }), /attributes must NOT have .*\(color\)/],
    ['an attribute less', withAttributes(without(attributes, 'name')), /must have required property 'name'/],
    ['null where there is always a value', withAttributes({ ...attributes, name: null }), /name must be string/],
    [
      'what only the other edition has',
      withAttributes({ ...attributes, 'assessments-enabled': false }),
      /\(assessments-enabled\)/,
    ],
    [
      'a relationship without a type',
      {
        ...shown,
        body: { data: { ...workspace, relationships: { ...relationships, project: { data: { id: 'x' } } } } },
      },
      /project\/data must have required property 'type'/,
    ],
    ['something beside the data', { ...shown, body: { data: workspace, more: 1 } }, /\(more\)/],
    ['another type of resource', { ...shown, body: { data: { ...workspace, type: 'vars' } } }, /must be equal to/],
    ['a status that it never has', { ...shown, status: 201 }, /the status 201 is not documented/],
    ['a fault', { ...shown, status: 500 }, /the status 500 is not documented/],
    ['another media type', { ...shown, headers: { ...headers, 'content-type': 'text/html' } }, /media type is text/],
    ['no media type', { ...shown, headers: without(headers, 'content-type') }, /media type is undefined/],
    ['no version', { ...shown, headers: without(headers, 'tfp-api-version') }, /TFP-API-Version is missing/],
    ['another version', { ...shown, headers: { ...headers, 'tfp-api-version': '2' } }, /header TFP-API-Version/],
    ['an error of another title', { ...refused, body: { errors: [{ status: '404', title: 'gone' }] } }, /title/],
    ['an error without an error', { ...refused, body: { errors: [] } }, /fewer than 1/],
    ['a missing Retry-After', { ...refused, status: 503 }, /Retry-After is missing/],
    ['a body where there is none', { ...shown, route: 'ping', status: 204 }, /there is a body/],
    [
      'an accepted body that is none',
      { ...updated, requestBody: Buffer.from('{"data":{"type":"vars"}}') },
      /the request's body, which was accepted: \/data\/type/,
    ],
    ['what nobody asked for', { ...shown, body: { data: workspace, included: [] } }, /nobody asked for `included`/],
    [
      'what is included twice',
      { ...including, body: { data: workspace, included: [organization, organization] } },
      /organizations acme is in it twice/,
    ],
    [
      'what is included without being related',
      { ...including, body: { data: workspace, included: [{ ...organization, id: 'other' }] } },
      /nothing refers to the included organizations other/,
    ],
    ['a success on an unknown path', { ...lost, status: 200 }, /the status 200 is not documented/],
  ])('fails: %s', (_, exchange, complaint) => {
    expect(() => requireDocumented(exchange)).toThrow(complaint);
  });
});
