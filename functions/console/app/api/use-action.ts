import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeyOf } from './query-client.ts';
import type { ApiRequest } from './request.ts';
import { createIdempotencyKey, type Reply, send } from './send.ts';

interface ActionOptions<D> {
  /** Paths below `/api/v2` whose cached data are out of date after the action, with everything below them. */
  readonly invalidates?: readonly string[];
  readonly onDone?: (reply: Reply<D>) => void;
}

/** An action of the user. */
export interface Action<D = unknown> {
  /** Sends the request. Does nothing while an earlier one runs. */
  readonly run: (request: ApiRequest<D>) => void;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly reset: () => void;
}

/**
 * Returns an action of the user that changes something. Each `run` has its own idempotency key, with which the request is
 * repeated while the service does not respond or is busy, so that it is executed once.
 */
export const useAction = <D>({ invalidates = [], onDone }: ActionOptions<D> = {}): Action<D> => {
  const queryClient = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation<
    Reply<D>,
    unknown,
    { readonly request: ApiRequest<D>; readonly idempotencyKey: string }
  >({
    mutationFn: ({ request, idempotencyKey }) => send(request, { idempotencyKey }),
    onSuccess: async (reply) => {
      onDone?.(reply);
      await Promise.all(invalidates.map((path) => queryClient.invalidateQueries({ queryKey: queryKeyOf(path) })));
    },
  });
  return {
    run: (request) => {
      if (!isPending) mutate({ request, idempotencyKey: createIdempotencyKey() });
    },
    isPending,
    error,
    reset,
  };
};
