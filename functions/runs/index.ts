import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { configurationVersionOperations } from './configuration-versions.ts';
import { runOperations } from './runs.ts';

export const handler = createHandler(
  'runs',
  { ...runOperations, ...configurationVersionOperations },
  openDependencies('runs'),
);
