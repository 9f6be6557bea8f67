import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { consumers } from '../../shared/schemas/compiled/bodies.js';
import { addConsumers, removeConsumers, replaceConsumers } from './change.ts';
import { listConsumers } from './list.ts';

const services = openServices('remote-state-consumers', openSnapshots(readEnvironment('remote-state-consumers')));

export const handler = createHandler(
  'remote-state-consumers',
  {
    'remote-state-consumers.list': listConsumers(services),
    'remote-state-consumers.add': addConsumers(services),
    'remote-state-consumers.replace': replaceConsumers(services),
    'remote-state-consumers.remove': removeConsumers(services),
  },
  { ...services, validators: { consumers } },
);
