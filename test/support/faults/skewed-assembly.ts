import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Template {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

const preload = `--import ${new URL('skew-clock.ts', import.meta.url).href}`;

const withPreload = ({ Resources, ...template }: Template): Template => {
  const skewed = Object.entries(Resources).map(([id, resource]) => {
    if (resource.Type !== 'AWS::Lambda::Function') return [id, resource] as const;
    const { Environment, ...Properties } = resource.Properties;
    const { Variables } = (Environment ?? {}) as { readonly Variables?: object };
    const variables = { Variables: { ...Variables, NODE_OPTIONS: preload } };
    return [id, { ...resource, Properties: { ...Properties, Environment: variables } }] as const;
  });
  return { ...template, Resources: Object.fromEntries(skewed) };
};

/**
 * Creates a cloud assembly whose functions have clocks that differ.
 * @param assembly folder of the assembly whose assets it uses.
 * @param folder folder to create.
 */
export const createSkewedAssembly = (assembly: string, folder: string): string => {
  mkdirSync(folder);
  for (const name of readdirSync(assembly)) {
    const [from, to] = [resolve(assembly, name), join(folder, name)];
    if (!name.endsWith('.template.json')) symlinkSync(from, to);
    else writeFileSync(to, JSON.stringify(withPreload(JSON.parse(readFileSync(from, 'utf8')) as Template)));
  }
  return folder;
};
