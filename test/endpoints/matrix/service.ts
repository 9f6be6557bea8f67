import { matrixGroup } from '../../support/matrix/matrix.ts';

/** What is answered to anyone. */
export const group = matrixGroup({
  name: 'the service',
  columns: {
    ping: { routes: ['ping'] },
    documentation: { routes: ['documentation.openapi', 'documentation.page', 'documentation.discovery'] },
  },
  table: `
           | ping | documentation
    anyone | 204  | 200
  `,
});
