import type { DynamoDBClientResolvedConfig } from '@aws-sdk/client-dynamodb';
import type { HttpRequest } from '@smithy/core/protocols';
import { INVOCATION_ID_HEADER, REQUEST_HEADER, retryMiddleware } from '@smithy/core/retry';
import type { RetryStrategyV2 } from '@smithy/types';
import { invocationId } from '../../../lib/random.ts';
import type { Any, Handler, Middleware } from './middleware.ts';

/**
 * Creates a middleware that sends the first attempt of a command, and leaves a command whose first attempt failed to the
 * retry middleware of the SDK. For every command, even if it succeeds, the SDK middleware creates an error with a stack
 * and follows the signal of the caller.
 */
export const createRepeat = (config: DynamoDBClientResolvedConfig): Middleware => {
  const repeat: Middleware = retryMiddleware(config);
  return (attempt, context) => async (args) => {
    const { headers }: HttpRequest = args.request;
    const strategy = (await config.retryStrategy()) as RetryStrategyV2;
    const token = await strategy.acquireInitialRetryToken('');
    const id = invocationId();
    headers[INVOCATION_ID_HEADER] = id;
    headers[REQUEST_HEADER] = `attempt=1; max=${await config.maxAttempts()}`;
    try {
      const result: Any = await attempt(args);
      strategy.recordSuccess(token);
      Object.assign(result.output.$metadata, { attempts: 1, totalRetryDelay: 0 });
      return result;
    } catch (error) {
      let isFirst = true;
      const next: Handler = async () => {
        if (!isFirst) return attempt(args);
        isFirst = false;
        // Repetitions have the id of the first attempt. The middleware has set another one.
        headers[INVOCATION_ID_HEADER] = id;
        throw error;
      };
      return repeat(next, context)(args);
    }
  };
};
