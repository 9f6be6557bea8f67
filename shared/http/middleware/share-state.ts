import type { HttpMiddleware, HttpRequest, StatefulContext } from '../request.ts';

/** Puts the state of the request into the context, because middy passes the handler nothing else of its request. */
export const shareState = (): HttpMiddleware => {
  const shareStateBefore = (request: HttpRequest): void => {
    const context: StatefulContext = { ...request.context, state: request.internal };
    request.context = context;
  };
  return { before: shareStateBefore };
};
