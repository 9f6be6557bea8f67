import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hubSynthesizedOnce, synthesizedOnce } from '../setup/build-once.ts';

/** The parts of a CloudFormation resource that tests read. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: properties differ by type, and are compared by assertions.
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>>;
}
export interface Assembly {
  readonly data: Template;
  readonly events: Template;
  readonly api: Template;
  readonly observability: Template;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly validationReport: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly manifest: any;
}

/** Synthesizes the app with settings, checks the templates, and reads them. */
export const assemble = async (context: Readonly<Record<string, unknown>> = {}): Promise<Assembly> => {
  const directory = await synthesizedOnce(context, { isChecked: true });
  const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'));
  const manifest = await read('manifest.json');
  return {
    data: await read('Data.template.json'),
    events: await read('Events.template.json'),
    api: await read('Api.template.json'),
    observability: await read('Observability.template.json'),
    manifest,
    validationReport: await read('validation-report.json'),
  };
};

/** Settings with which the templates contain every type of resource, for a second deployment in the same account. */
export const everySetting = {
  name: 'second',
  tags: { team: 'platform' },
  permissionsBoundary: 'arn:aws:iam::111122223333:policy/boundary',
  tracing: true,
  dashboard: true,
  alarmEmail: 'operator@example.com',
  customDomain: {
    name: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/1',
    hostedZoneId: 'Z111111111111',
  },
  provisionedConcurrency: { workspaces: 1 },
  tokenLimit: { rate: 50 },
  auditRefusals: true,
  publicUrl: 'https://holdfast.example.com',
  originSecretArns: [2, 1].map(
    (number) => `arn:aws:secretsmanager:eu-west-1:111122223333:secret:second-distribution-${number}-aBcDeF`,
  ),
  automations: [{ name: 'nightly', schedule: 'rate(1 day)', command: { command: 'lock' } }],
};

/** Ten accounts, the members of a hub. */
export const tenAccounts: readonly string[] = Array.from({ length: 10 }, (_, digit) => String(digit).repeat(12));

/** Settings with which the template of a hub over ten accounts contains every type of resource. */
export const everyHubSetting = {
  memberAccounts: tenAccounts,
  tags: everySetting.tags,
  permissionsBoundary: everySetting.permissionsBoundary,
  alarmEmail: everySetting.alarmEmail,
};

/** Synthesizes a hub with settings, with the checks of cdk-nag, and reads its template. */
export const assembleHub = async (context: Readonly<Record<string, unknown>>): Promise<Template> => {
  const directory = await hubSynthesizedOnce(context);
  return JSON.parse(await readFile(join(directory, 'Hub.template.json'), 'utf8'));
};

/** The templates of an assembly. */
export const templatesOf = ({ data, events, api, observability }: Assembly): readonly Template[] => [
  data,
  events,
  api,
  observability,
];

/** Selects the resources of a type, by logical id. */
export const resourcesOf = (template: Template, type: string): Map<string, Resource> =>
  new Map(Object.entries(template.Resources).filter(([, resource]) => resource.Type === type));

/** Returns the only resource of a type. @throws when there is not exactly one. */
export const theOnly = (template: Template, type: string): Resource => {
  const [found, ...more] = resourcesOf(template, type).values();
  if (found === undefined || more.length > 0) throw new Error(`The template must contain exactly one ${type}`);
  return found;
};

/** Selects the functions by name without the prefix, each with its logical id. */
export const functionsOf = (template: Template): Map<string, Resource & { readonly id: string }> =>
  new Map(
    [...resourcesOf(template, 'AWS::Lambda::Function')].map(([id, resource]) => [
      resource.Properties.FunctionName.replace(/^(holdfast|second)-/, ''),
      { ...resource, id },
    ]),
  );
