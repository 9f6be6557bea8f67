import { createHandler } from '../../shared/http/stack.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { showConfigurationVersion, showIngressAttributes } from './configuration-versions.ts';
import { listRuns, showRun } from './runs.ts';

const services = openServices('runs');

export const handler = createHandler(
  'runs',
  {
    'runs.list': listRuns(services),
    'runs.show': showRun(services),
    'configuration-versions.show': showConfigurationVersion(services),
    'configuration-versions.ingress-attributes': showIngressAttributes(services),
  },
  services,
);
