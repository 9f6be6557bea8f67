/**
 * Automation brings no token: IAM lets it in, and it acts as a team that was made for that. What stands in the place of
 * a token's digest says as which one; a digest is hexadecimal, so no client can send what would be taken for it.
 */
const PREFIX = 'service:';

export const servicePrincipal = (team: string): string => PREFIX + team;

/** The team that acts; undefined for the digest of a token. */
export const actingTeam = (credential: string): string | undefined =>
  credential.startsWith(PREFIX) ? credential.slice(PREFIX.length) : undefined;
