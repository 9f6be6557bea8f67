/** Returns the name of the variable from which terraform and tofu read the token of a host. */
export const tokenVariable = (host: string): string => `TF_TOKEN_${host.replaceAll('-', '__').replaceAll('.', '_')}`;
