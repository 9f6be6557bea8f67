import type { AgentPool } from '../../domain/directory/records.ts';
import { invalid, invalidRelationship } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';

/** The default agent pool that a body requests, of an organization or of a project. */
export interface RequestedAgentPool {
  /** Null: no default agent pool. Undefined: the body does not mention one. */
  readonly id: string | null | undefined;
  /** Whether the body has it among the relationships, and not among the attributes. */
  readonly isRelationship: boolean;
}

/**
 * Reads the default agent pool of a body, where it can be an attribute or a relationship.
 * @throws DomainError 422 when attribute and relationship differ.
 */
export const readDefaultAgentPool = (
  attribute: string | null | undefined,
  relationship: { readonly data?: { readonly id?: string | null } | null } | null | undefined,
): RequestedAgentPool => {
  const related = relationship?.data === undefined ? undefined : relationship.data?.id || null;
  const id = attribute === undefined ? related : attribute || null;
  if (related !== undefined && related !== id) {
    throw invalid('default-agent-pool-id', 'Default agent pool id and the relationship default-agent-pool differ');
  }
  return { id, isRelationship: attribute === undefined };
};

/** The record that the requested agent pool refers to, as an argument of `Store.findReferences`. */
export const defaultAgentPoolReference = ({ id }: RequestedAgentPool): { readonly agentPool?: string } =>
  id && isId('agentPool', id) ? { agentPool: id } : {};

/**
 * Checks the requested agent pool against the record that was found for it.
 * @returns the change of the organization or project: nothing when the body does not mention an agent pool.
 * @throws DomainError 422 when the organization has no such agent pool.
 */
export const checkDefaultAgentPool = (
  { id, isRelationship }: RequestedAgentPool,
  found: AgentPool | undefined,
  organization: string,
): { readonly defaultAgentPool?: string | null } => {
  if (id === undefined) return {};
  if (id !== null && found?.organization !== organization) {
    const detail = 'Agent pool does not exist in this organization';
    throw isRelationship ? invalidRelationship('default-agent-pool', detail) : invalid('default-agent-pool-id', detail);
  }
  return { defaultAgentPool: id };
};
