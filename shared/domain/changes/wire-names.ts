/** Attributes whose wire name is not their domain name in kebab case. */
const wireNames: Readonly<Record<string, string>> = {
  agentPool: 'agent-pool-id',
  bindings: 'tag-bindings',
  defaultAgentPool: 'default-agent-pool-id',
  encryptedKey: 'value',
  encryptedToken: 'oauth-token-string',
  overwrites: 'setting-overwrites',
  permissions: 'organization-access',
  tags: 'tag-bindings',
};

/** Converts a name to kebab case: `infraVersion` to `infra-version`. */
export const kebabCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the wire name of an attribute. @param name the name in the domain, or the wire name. */
export const wireName = (name: string): string => wireNames[name] ?? kebabCase(name);

/** Returns an object with its names in kebab case. */
export const withWireNames = (of: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [kebabCase(name), value]));
