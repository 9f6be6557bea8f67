import { describe, expect, it } from 'vitest';
import { type Edition, editionNames } from '../../../shared/domain/editions.ts';
import { documentOf, type OperationObject, routeIdsOf } from '../../../shared/openapi/document.ts';
import { exampleOf } from '../../../shared/openapi/example.ts';
import { type Route, routes } from '../../../shared/routes/index.ts';
import { schemaValidator } from '../../support/api/response-conformance.ts';

describe.each(editionNames)('the OpenAPI document of the %s edition', (edition) => {
  const document = documentOf(edition);
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  it('contains exactly the routes of the edition', () => {
    expect(all.map(({ operation }) => operation.operationId).sort()).toEqual([...routeIdsOf(edition)].sort());
    for (const { path, method, operation } of all) {
      expect(routes[operation.operationId]).toMatchObject({ path, method: method.toUpperCase() });
    }
  });

  it('documents the success, the body and the errors of each route', () => {
    for (const { operation } of all) {
      const { status, statusIfThere, body, authenticated, oauth, dryRun }: Route = routes[operation.operationId];
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((it) => it < '300' || it === '307')).toEqual(
        [...new Set([dryRun && 200, statusIfThere, status])].filter((it) => it !== undefined).map(String),
      );
      // The credential of a session is a cookie, which the document does not describe.
      const isOfSession = operation.operationId === 'sign-in.session';
      expect(statuses.includes('401')).toBe(authenticated !== false || isOfSession);
      expect(statuses.includes('415')).toBe(body !== undefined && !oauth);
      expect(operation.requestBody?.required).toBe(body?.required);
      expect(operation.security).toEqual(authenticated === false ? [] : undefined);
    }
  });

  it('describes every path parameter', () => {
    const inPath = ({ parameters }: OperationObject) => parameters.filter((it) => it.in === 'path');
    for (const { path, operation } of all) {
      expect(inPath(operation).map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const { name, description } of inPath(operation)) {
        const words = name.endsWith('_id')
          ? /^Id of the [a-z ]+, such as `[a-z]+-\w{16}`: the `id` in/
          : /^Name of the [a-z ]+\.$/;
        expect(description).toMatch(words);
      }
    }
  });

  it.each(Object.entries(document.components.schemas))(
    'has examples of %s that are valid against its schema',
    (name, schema: { readonly examples?: readonly unknown[] }) => {
      const complaints = schemaValidator(edition)(name);
      const generated = exampleOf({ $ref: `#/components/schemas/${name}` }, document.components.schemas);
      for (const example of [generated, ...(schema.examples ?? [])]) expect(complaints(example)).toEqual([]);
    },
  );

  it('allows no unknown members in response objects', () => {
    const open: string[] = [];
    const look = (value: unknown, where: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, properties, additionalProperties } = value as Record<string, unknown>;
      if (type === 'object' && properties !== undefined && additionalProperties !== false) open.push(where);
      for (const [key, inner] of Object.entries(value)) look(inner, `${where}/${key}`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (!name.endsWith('Body')) look(schema, name);
    }
    look(Object.fromEntries(all.map(({ operation }) => [operation.operationId, operation.responses])), 'paths');
    expect(open).toEqual([]);
  });
});

it('documents in each edition only the attributes of its responses', () => {
  const attributesIn = (edition: Edition) => JSON.stringify(documentOf(edition).components.schemas['Workspace']);
  expect(attributesIn('hosted')).toContain('assessments-enabled');
  expect(attributesIn('self-hosted')).not.toContain('assessments-enabled');
  expect(attributesIn('hosted')).not.toContain('data-retention-policy');
  expect(attributesIn('self-hosted')).not.toContain('x-feature');
});
