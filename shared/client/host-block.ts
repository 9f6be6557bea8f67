import { apiRequest } from './request.ts';

/** Host name that stands for a service without HTTPS in the configuration of command lines. */
export const LOCAL_HOST = 'holdfast.local';

/** Describes the request of service discovery (HTTP-2): the paths of the services of the host. */
export const showDiscovery = () => apiRequest('get', '/.well-known/terraform.json', {});

/** Services of a host by name: the path of each, or the members of `login.v1`. */
export type Services = Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;

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
 * Builds the `host` block with which terraform and tofu find a service without HTTPS: they read service discovery with HTTPS only.
 * @param services content of service discovery.
 * @param origin scheme and host of the service.
 * @returns lines of a CLI configuration file.
 */
export const hostBlock = (services: Services, origin: string): readonly string[] => {
  const quoted = Object.fromEntries(Object.entries(services).map(([name, value]) => [`"${name}"`, value]));
  return [`host "${LOCAL_HOST}" {`, '  services = {', ...toLines(quoted, origin, '    '), '  }', '}'];
};
