import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { consumers } from '../../shared/validators/compiled/bodies.js';
import { addConsumers, listConsumers, removeConsumers, replaceConsumers } from './consumers.ts';

const dependencies = openListDependencies(
  'remote-state-consumers',
  openSnapshots(readEnvironment('remote-state-consumers')),
);

export const handler = createHandler(
  'remote-state-consumers',
  {
    'remote-state-consumers.list': listConsumers(dependencies),
    'remote-state-consumers.add': addConsumers(dependencies),
    'remote-state-consumers.replace': replaceConsumers(dependencies),
    'remote-state-consumers.remove': removeConsumers(dependencies),
  },
  { ...dependencies, validators: { consumers } },
);
