import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError, isTransient } from '../../../../shared/client/errors.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { createIdempotencyKey, type Reply } from '../../../../shared/client/send.ts';
import { queryKeyOf } from './query-client.ts';
import { send } from './send.ts';

interface ActionOptions<D> {
  /**
   * Paths below `/api/v2` whose cached data are out of date after the action, with everything below them. They are also
   * loaded again after 404 and 409.
   */
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
 * repeated while the service does not respond or is busy, so that it is executed once. If no attempt gets a response, the user
 * cannot know whether it was executed: the same request has the same key when it is submitted again.
 */
export const useAction = <D>({ invalidates = [], onDone }: ActionOptions<D> = {}): Action<D> => {
  const queryClient = useQueryClient();
  // `isPending` is rendered too late for the second of two quick clicks.
  const isRunning = useRef(false);
  const unanswered = useRef<{ readonly text: string; readonly idempotencyKey: string }>(undefined);
  const refresh = () =>
    Promise.all(invalidates.map((path) => queryClient.invalidateQueries({ queryKey: queryKeyOf(path) })));
  const { mutate, isPending, error, reset } = useMutation<
    Reply<D>,
    unknown,
    { readonly request: ApiRequest<D>; readonly idempotencyKey: string }
  >({
    mutationFn: ({ request, idempotencyKey }) => send(request, { idempotencyKey }),
    onSuccess: async (reply) => {
      onDone?.(reply);
      await refresh();
    },
    onSettled: () => {
      isRunning.current = false;
    },
    onError: (reason, { request, idempotencyKey }) => {
      if (isTransient(reason)) unanswered.current = { text: JSON.stringify(request), idempotencyKey };
      // Somebody else has changed or deleted the resource: the page behind the dialog shows its present state.
      if (reason instanceof ApiError && [404, 409].includes(reason.status)) refresh();
    },
  });
  return {
    run: (request) => {
      if (isRunning.current) return;
      isRunning.current = true;
      const former = unanswered.current;
      unanswered.current = undefined;
      const isSame = former?.text === JSON.stringify(request);
      mutate({ request, idempotencyKey: isSame ? former.idempotencyKey : createIdempotencyKey() });
    },
    isPending,
    // It has ended the session: the user signs in again, and submits again.
    error: error instanceof ApiError && error.status === 401 ? null : error,
    reset,
  };
};
