import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { consumers } from '../../shared/validators/compiled/bodies.js';
import { consumerOperations } from './consumers.ts';

export const handler = createHandler('remote-state-consumers', consumerOperations, {
  ...openListDependencies('remote-state-consumers', openSnapshots(readEnvironment('remote-state-consumers'))),
  validators: { consumers },
});
