import type { Service } from './service.ts';

/** Host name that stands for the service in the configuration of command lines. */
export const LOCAL_HOST = 'holdfast.local';

/** Services of a host by name: the path of each, or the members of `login.v1`. */
type Services = Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;

/** Writes a value in HCL, with its paths as URLs. */
const toHcl = (value: unknown, origin: string): string => {
  if (typeof value === 'string') return JSON.stringify(value.startsWith('/') ? origin + value : value);
  return Array.isArray(value) ? `[${value.map((one) => toHcl(one, origin)).join(', ')}]` : JSON.stringify(value);
};

const toLines = (members: Services, origin: string, indent: string): string[] => {
  const longest = Math.max(...Object.keys(members).map((name) => name.length));
  return Object.entries(members).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? [`${indent}${name.padEnd(longest)} = {`, ...toLines(value as Services, origin, `${indent}  `), `${indent}}`]
      : [`${indent}${name.padEnd(longest)} = ${toHcl(value, origin)}`],
  );
};

/**
 * Builds the `host` block with which `terraform login` and `tofu login` find the service. They read service discovery with
 * HTTPS only, which the local service does not have.
 * @returns lines of a configuration file of the command lines.
 */
export const hostBlock = async ({ origin }: Pick<Service, 'origin'>): Promise<readonly string[]> => {
  const services = (await (await fetch(`${origin}/.well-known/terraform.json`)).json()) as Services;
  const quoted = Object.fromEntries(Object.entries(services).map(([name, value]) => [`"${name}"`, value]));
  return [`host "${LOCAL_HOST}" {`, '  services = {', ...toLines(quoted, origin, '    '), '  }', '}'];
};
