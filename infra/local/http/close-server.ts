import type { Server } from 'node:http';

/**
 * Stops accepting requests, and resolves when the responses in progress are complete.
 * @param graceMillis milliseconds after which open connections are closed.
 */
export const closeServer = (server: Server, graceMillis: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMillis);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
