import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { bodies } from '../../../shared/resources/request-bodies.ts';
import * as compiled from '../../../shared/validators/compiled/bodies.js';

const withAttributes = (attributes: unknown) => ({ data: { type: 'workspaces', attributes } });

const workspaces: readonly (readonly [what: string, body: unknown])[] = [
  ['nothing', undefined],
  ['an array', []],
  ['a document without data', {}],
  ['a resource without a type', { data: {} }],
  ['a resource of another type', { data: { type: 'teams' } }],
  ['an id that is a number', { data: { type: 'workspaces', id: 7 } }],
  ['attributes that are text', withAttributes('name')],
  ['a name that is empty', withAttributes({ name: '' })],
  ['a name with a space', withAttributes({ name: 'a b' })],
  ['a description that is too long', withAttributes({ description: 'x'.repeat(1_001) })],
  ['an unknown execution mode', withAttributes({ 'execution-mode': 'cloud' })],
  ['a trigger pattern that is a number', withAttributes({ 'trigger-patterns': ['/modules', 7] })],
  ['a valid workspace', withAttributes({ name: 'network', 'execution-mode': 'remote', 'trigger-patterns': ['/a'] })],
];

describe('the shortened validator of workspaces', () => {
  const original = new Ajv({ messages: false, allowUnionTypes: true, strict: false, logger: false }).compile(
    bodies.workspace,
  );

  test.each(workspaces)('reports the same as the validator of ajv for %s', (_, body) => {
    expect(compiled.workspace(body)).toBe(original(body));
    const errors = original.errors?.map(({ schemaPath: _path, ...error }) => error) ?? null;
    expect(compiled.workspace.errors).toEqual(errors);
  });
});
