import { expect, test } from 'vitest';
import { bodies } from '../../../shared/resources/request-bodies.ts';

interface BodySchema {
  readonly properties?: { readonly data?: BodySchema };
  readonly items?: BodySchema;
  readonly required?: readonly string[];
}

/** Names of the bodies whose resource, or each of whose elements, must have a type. */
const requiring = Object.entries(bodies as unknown as Readonly<Record<string, BodySchema>>).flatMap(
  ([name, { properties }]) => {
    const data = properties?.data;
    return (data?.items ?? data)?.required?.includes('type') ? [name] : [];
  },
);

test('only the bodies that the specification describes require a type (HTTP-8)', () => {
  expect(requiring.sort()).toEqual([
    'consumers',
    'newVariable',
    'newWorkspaceVariable',
    'retentionPolicy',
    'sshKeyAssignment',
    'tagWorkspaces',
    'tags',
    'variable',
    'workspace',
  ]);
});
