import { describe, expect, test } from 'vitest';
import { validateBody } from '../../../shared/http/middleware/validate-body.ts';
import { workspaceLock } from '../../../shared/validators/compiled/bodies.js';
import { routeWith, runMiddleware } from '../../support/http/run-middleware.ts';

const runWith = (body: unknown, required = true, validators = { workspaceLock }) =>
  runMiddleware(
    { before: validateBody(validators as never) },
    {
      state: { route: routeWith({ body: { schema: 'workspaceLock', required } }), ...(body !== undefined && { body }) },
    },
  );

describe('validateBody', () => {
  test('lets a valid body through', async () => {
    expect((await runWith({ reason: 'maintenance' })).response?.statusCode).toBe(200);
  });

  test('rejects an invalid body with 422 and the place of the first error', async () => {
    const { error } = await runWith({ reason: 7 });
    expect(error).toMatchObject({ code: 'unprocessable', source: { pointer: '/reason' } });
  });

  test('rejects a missing body with 400 where the route requires one', async () => {
    expect((await runWith(undefined)).error).toMatchObject({ code: 'bad-request' });
  });

  test('lets a missing body through where it is optional', async () => {
    expect((await runWith(undefined, false)).response?.statusCode).toBe(200);
  });

  test('leaves the validation to an operation that finds the resource first', async () => {
    const body = { schema: 'workspaceLock', required: true, validatedByOperation: true } as const;
    const run = (given: unknown) =>
      runMiddleware(
        { before: validateBody({ workspaceLock } as never) },
        { state: { route: routeWith({ body }), body: given } },
      );
    const read = async (given: unknown) => ((await run(given)).internal.body as () => unknown)();
    expect(await read({ reason: 'maintenance' })).toEqual({ reason: 'maintenance' });
    await expect(read({ reason: 7 })).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('fails with an unexpected error if the function lacks the validator', async () => {
    expect((await runWith({}, true, {} as never)).error).toBeInstanceOf(TypeError);
  });
});
