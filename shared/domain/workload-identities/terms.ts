import { hash } from 'node:crypto';
import { canonicalJson } from '../changes/entity-tags.ts';
import type { WorkloadIdentity } from '../directory/records.ts';

/**
 * Computes a digest of the parts of a workload identity that decide who gets a token and what the token can do. A token is deleted
 * when they change (WI-12).
 */
export const termsOf = ({ issuer, audience, conditions, team, scope, enabled }: WorkloadIdentity): string =>
  hash('sha256', canonicalJson({ issuer, audience, conditions, team, scope: scope ?? null, enabled }), 'hex').slice(
    0,
    32,
  );
