import { describe, expect, test } from 'vitest';
import { conflict, invalid } from '../../../shared/domain/errors.ts';
import { spelledAsSent, unifyNames } from '../../../shared/http/middleware/unify-names.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const run = (attributes: object) =>
  runMiddleware({ before: unifyNames }, { state: { body: { data: { attributes } } } });

describe('unifyNames', () => {
  test('renames attributes and their members, and returns the names that were sent', async () => {
    const sent = { name: 'a', 'terraform-version': '1.5.7', 'vcs-repo': { 'github-app-installation-id': null } };
    const { internal } = await run(sent);
    expect(internal.body).toEqual({
      data: { attributes: { name: 'a', 'infra-version': '1.5.7', 'vcs-repo': { 'app-installation-id': null } } },
    });
    expect(internal.replacedNames).toEqual(['terraform-version', 'github-app-installation-id']);
  });

  test('accepts both names with the same value, and rejects different values', async () => {
    const both = await run({ 'infra-version': '1.5.7', 'terraform-version': '1.5.7' });
    expect(both.internal.body).toEqual({ data: { attributes: { 'infra-version': '1.5.7' } } });
    expect((await run({ 'infra-version': '1.5.7', 'terraform-version': '1.5.6' })).error).toMatchObject({
      code: 'invalid-attribute',
      source: { pointer: '/data/attributes/infra-version' },
    });
  });

  test.each([[undefined], [null], ['text'], [{ data: [] }], [{ data: null }], [{ data: { attributes: null } }]])(
    'leaves the body %j as it is',
    async (body) => {
      const { internal, error } = await runMiddleware(
        { before: unifyNames },
        { state: { body: structuredClone(body) } },
      );
      expect(error ?? undefined).toBeUndefined();
      expect(internal.body).toEqual(body);
    },
  );
});

describe('the vocabulary of the response', () => {
  const vocabularyOf = async (category: string, headers: Record<string, string> = {}) => {
    const state = { body: { data: { attributes: { category } } }, vocabulary: 'infra' } as const;
    return (await runMiddleware({ before: unifyNames }, { state, event: { headers } })).internal.vocabulary;
  };

  test('is terraform if the body has the category terraform', async () => {
    expect(await vocabularyOf('terraform')).toBe('terraform');
    expect([await vocabularyOf('infra'), await vocabularyOf('env')]).toEqual(['infra', 'infra']);
  });

  test('is that of the header if the request has one', async () => {
    expect(await vocabularyOf('terraform', { 'holdfast-vocabulary': 'infra' })).toBe('infra');
  });
});

describe('spelledAsSent', () => {
  const error = invalid('infra-version', 'Infra version "infra" is not a valid version');

  test('names the attribute as the request did', () => {
    expect(spelledAsSent(error, ['terraform-version'])).toMatchObject({
      code: 'invalid-attribute',
      detail: 'Terraform version "infra" is not a valid version',
      source: { pointer: '/data/attributes/terraform-version' },
    });
  });

  test('leaves errors about other attributes, and errors without a pointer, as they are', () => {
    for (const other of [invalid('name', 'Infra version'), conflict('Infra version'), new Error('Infra version')]) {
      expect(spelledAsSent(other, ['terraform-version'])).toBe(other);
    }
    expect(spelledAsSent(error)).toBe(error);
  });
});
