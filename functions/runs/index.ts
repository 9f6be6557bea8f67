import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { showConfigurationVersion, showIngressAttributes } from './configuration-versions.ts';
import { listRuns, showRun } from './runs.ts';

const dependencies = openDependencies('runs');

export const handler = createHandler(
  'runs',
  {
    'runs.list': listRuns(dependencies),
    'runs.show': showRun(dependencies),
    'configuration-versions.show': showConfigurationVersion(dependencies),
    'configuration-versions.ingress-attributes': showIngressAttributes(dependencies),
  },
  dependencies,
);
