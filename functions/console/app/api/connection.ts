import { createStore } from '../lib/store.ts';

/** Whether the service responds: every request reports whether it got a response. */
export const connection = createStore(true);

/** Reports that a request has got a response, or none. */
export const reportConnection = (isConnected: boolean): void => {
  if (connection.get() !== isConnected) connection.set(isConnected);
};
