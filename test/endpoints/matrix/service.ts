import { matrixGroup } from '../../support/matrix.ts';

/** What is answered to anyone. */
export const group = matrixGroup({
  name: 'the service',
  columns: { ping: { routes: ['ping'] } },
  table: `
           | ping
    anyone | 204
  `,
});
