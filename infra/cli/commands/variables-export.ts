import type { Variable } from '../../../shared/client/types.ts';
import { listVariablesInForce } from '../../../shared/client/variables.ts';
import { command } from '../command.ts';
import { environmentName } from '../exec/environment.ts';
import { defineView } from '../output/view.ts';
import { choice } from '../parameters.ts';
import { formatEnvLine, formatExport } from '../variable-files/env-file.ts';
import { formatTfvarsLine } from '../variable-files/tfvars.ts';
import { isSameCategory } from './variable-rows.ts';
import { workspaceArgument } from './workspace-rows.ts';

type Exported = Variable['attributes'] & { readonly value: string };

/** Formats a variable as a line, or returns undefined if the format cannot have it. */
type FormatLine = (variable: Exported) => string | undefined;

const inEnvironment =
  (format: (name: string, value: string) => string): FormatLine =>
  (variable) => {
    const name = environmentName(variable);
    return /^[A-Za-z_]\w*$/.test(name) ? format(name, variable.value) : undefined;
  };

const formats: Readonly<Record<'env' | 'sh' | 'tfvars', FormatLine>> = {
  env: inEnvironment(formatEnvLine),
  sh: inEnvironment(formatExport),
  tfvars: ({ category, key, value, hcl }) =>
    isSameCategory(category, 'infra') ? formatTfvarsLine(key, value, hcl) : undefined,
};

const toJson = (variables: readonly Exported[]): string =>
  JSON.stringify(
    variables.map(({ key, category, value, hcl, description }) => ({ key, category, value, hcl, description })),
    null,
    2,
  );

/** Defines the command that prints the variables in force, without secrets. */
export const exportCommand = command({
  name: 'var export',
  summary: 'Print the variables in force for a workspace, without secrets',
  description:
    'env and sh have what "holdfast exec" passes to a program: variables of the infrastructure tool have names with TF_VAR_. ' +
    'tfvars has only these, and json all that are not secret. Variables that are left out are named on standard error.',
  arguments: { workspace: workspaceArgument },
  flags: { format: choice('Format. Default: sh.', ['env', 'json', 'sh', 'tfvars'], 'FORMAT') },
  routes: ['workspaces.show-by-name', 'workspaces.show', 'all-variables.list'],
  result: { kind: 'text', view: defineView(['format', 'left-out'], ['content']), field: 'content' },
  examples: ['var export network', 'var export network --format tfvars > holdfast.auto.tfvars'],
  run: async ({ api, workspace, note }, args, { format = 'sh' }) => {
    const { id } = await workspace(args.workspace);
    const { document } = await api.send(listVariablesInForce(id));
    const lines: string[] = [];
    const exported: Exported[] = [];
    const leftOut: string[] = [];
    for (const { attributes } of document.data) {
      const { key, value, sensitive } = attributes;
      const reason = sensitive ? 'is sensitive' : value === null ? 'refers to a value in AWS' : undefined;
      const variable = { ...attributes, value: value ?? '' };
      const line = reason !== undefined || format === 'json' ? '' : formats[format](variable);
      if (reason === undefined && line !== undefined) {
        exported.push(variable);
        lines.push(line);
      } else {
        leftOut.push(key);
        note(`${key} is left out: it ${reason ?? `cannot be written as ${format}`}.`);
      }
    }
    return { format, 'left-out': leftOut, content: format === 'json' ? toJson(exported) : lines.join('\n') };
  },
});
