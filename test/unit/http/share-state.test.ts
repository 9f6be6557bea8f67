import { describe, expect, test } from 'vitest';
import { type StatefulContext, shareState } from '../../../shared/http/request.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

describe('shareState', () => {
  test('hands the handler the state of the request', async () => {
    const digests: (string | undefined)[] = [];
    await runMiddleware(
      { before: shareState },
      {
        state: { digest: 'abc' },
        handler: async (_, context) => {
          digests.push((context as StatefulContext).state.digest);
          return { statusCode: 200, headers: {} };
        },
      },
    );
    expect(digests).toEqual(['abc']);
  });
});
