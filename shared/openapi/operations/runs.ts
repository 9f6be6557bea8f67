import { configurationVersion, ingressAttributes } from '../../resources/configuration-versions/openapi.ts';
import { apply, plan, run } from '../../resources/runs/openapi.ts';
import type { runs as routes } from '../../routes/runs.ts';
import { type Group, one, page } from '../operation.ts';

const include = {
  apply: [apply],
  configuration_version: [configurationVersion],
  'configuration_version.ingress_attributes': [configurationVersion, ingressAttributes],
  plan: [plan],
};

export const runs: Group<keyof typeof routes> = {
  name: 'Runs',
  description: 'Runs and configuration versions as the runner reports them. Only the runner creates and ends them.',
  operations: {
    'runs.list': {
      summary: "List a workspace's runs",
      description: 'Returns the newest run first.',
      rule: 'RUN-8',
      answers: page(run),
      include,
    },
    'runs.show': { summary: 'Show a run', rule: 'RUN-8', answers: one(run), include },
    'configuration-versions.show': {
      summary: 'Show a configuration version',
      rule: 'RUN-7',
      answers: one(configurationVersion),
      include: { ingress_attributes: [ingressAttributes] },
    },
    'configuration-versions.ingress-attributes': {
      summary: 'Show the commit of a configuration version',
      rule: 'RUN-7',
      answers: one(ingressAttributes),
      refuses: {
        404: 'The configuration version does not exist, its commit is unknown, or the caller may not see it.',
      },
    },
  },
};
