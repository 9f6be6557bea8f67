import { runOperations, runStatusGroups } from '../../domain/runs/run-groups.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, one, page } from '../operation.ts';
import { apply, configurationVersion, ingressAttributes, plan, run } from '../resources.ts';

const include = {
  apply: [apply],
  configuration_version: [configurationVersion],
  'configuration_version.ingress_attributes': [configurationVersion, ingressAttributes],
  plan: [plan],
};

export const runs = {
  name: 'Runs',
  description: 'Runs and configuration versions as the runner reports them. Only the runner creates and ends them.',
  operations: {
    'runs.list': {
      summary: "List a workspace's runs",
      description: 'Returns the newest run first.',
      rule: 'RUN-11',
      query: {
        'filter[status]': text('Comma-separated statuses.'),
        'filter[source]': text('Comma-separated sources.'),
        'filter[operation]': text(`Comma-separated operations out of: ${runOperations.join(', ')}.`),
        'filter[status_group]': text(`Comma-separated groups of statuses out of: ${runStatusGroups.join(', ')}.`),
        'filter[timeframe]': text('Comma-separated calendar years, or `year` for the last 365 days.', {
          examples: ['2026'],
        }),
        'search[user]': text('Name of the user of the VCS provider who caused the run.'),
        'search[commit]': text('Beginning of the SHA of the commit.'),
        'search[basic]': text(
          'Part of the message, or the id, the user or the commit of the run. Ignored if one of the other searches is sent.',
        ),
      },
      response: page(run),
      include,
    },
    'runs.show': { summary: 'Show a run', rule: 'RUN-8', response: one(run), include },
    'configuration-versions.show': {
      summary: 'Show a configuration version',
      rule: 'RUN-7',
      response: one(configurationVersion),
      include: { ingress_attributes: [ingressAttributes] },
    },
    'configuration-versions.ingress-attributes': {
      summary: 'Show the commit of a configuration version',
      rule: 'RUN-7',
      response: one(ingressAttributes),
      errors: {
        404: 'The configuration version does not exist, its commit is unknown, or the caller may not see it.',
      },
    },
  },
} satisfies Group;
