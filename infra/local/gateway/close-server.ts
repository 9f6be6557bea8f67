import type { Server } from 'node:http';

/**
 * Takes no further request, and resolves once those under way have been answered.
 * @param graceMillis after which they are cut off.
 */
export const closeServer = (server: Server, graceMillis: number): Promise<void> =>
  new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), graceMillis);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
