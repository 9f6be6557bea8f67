/**
 * Prefix of the credential of automation. Automation is authorized by IAM, has no token, and acts as a service team.
 * Its credential replaces the digest of a token and contains the id of the team. A digest is hexadecimal, so no client
 * can send such a credential.
 */
const PREFIX = 'service:';

/** Builds the credential of automation that acts as a service team. */
export const servicePrincipal = (team: string): string => PREFIX + team;

/** Returns the id of the service team of a credential; undefined for the digest of a token. */
export const actingTeam = (credential: string): string | undefined =>
  credential.startsWith(PREFIX) ? credential.slice(PREFIX.length) : undefined;
