import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { synthesizedOnce } from '../setup/build-once.ts';

/** As much of a CloudFormation resource as the tests look at; properties are compared, not typed. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON of any shape, and the assertions say which.
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

/** What the app synthesizes with settings. */
export const assemble = async (context: Readonly<Record<string, unknown>> = {}): Promise<Assembly> => {
  const directory = await synthesizedOnce(context);
  const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'));
  return {
    data: await read('Data.template.json'),
    events: await read('Events.template.json'),
    api: await read('Api.template.json'),
    observability: await read('Observability.template.json'),
    manifest: await read('manifest.json'),
    validationReport: await read('validation-report.json'),
  };
};

/** A template's resources of one type, by logical id. */
export const resourcesOf = (template: Template, type: string): Map<string, Resource> =>
  new Map(Object.entries(template.Resources).filter(([, resource]) => resource.Type === type));

/** The one resource of a type. */
export const theOnly = (template: Template, type: string): Resource => {
  const [found, ...more] = resourcesOf(template, type).values();
  if (found === undefined || more.length > 0) throw new Error(`The template has ${more.length + 1} of ${type}`);
  return found;
};

/** The deployed functions by their name without the prefix, each with its logical id. */
export const functionsOf = (template: Template): Map<string, Resource & { readonly id: string }> =>
  new Map(
    [...resourcesOf(template, 'AWS::Lambda::Function')].map(([id, resource]) => [
      resource.Properties.FunctionName.replace(/^holdfast-/, ''),
      { ...resource, id },
    ]),
  );
