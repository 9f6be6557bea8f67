import { isDeepStrictEqual } from 'node:util';
import { DomainError, invalid, invalidRelationship } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';

const ATTRIBUTE = 'default-agent-pool-id';

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
    throw invalid(ATTRIBUTE, 'Default agent pool id and the relationship default-agent-pool differ');
  }
  return { id, isRelationship: attribute === undefined && related !== undefined };
};

/**
 * Returns the change that a body makes to the default agent pool: nothing when it does not mention one. The store checks
 * that the pool exists.
 * @throws DomainError 422 for a text that is not the id of an agent pool. The store would accept a name as well.
 */
export const defaultAgentPoolChange = ({ id }: RequestedAgentPool): { readonly defaultAgentPool?: string | null } => {
  if (id === undefined) return {};
  if (id !== null && !isId('agentPool', id)) throw invalid(ATTRIBUTE, 'Agent pool does not exist in this organization');
  return { defaultAgentPool: id };
};

/**
 * Runs a change of a default agent pool. Errors about the pool point at the relationship if the body names the pool there.
 * @throws what `change` throws.
 */
export const pointAtDefaultAgentPool = async <T>(
  { isRelationship }: RequestedAgentPool,
  change: () => Promise<T>,
): Promise<T> => {
  try {
    return await change();
  } catch (error) {
    const isAboutPool = error instanceof DomainError && isDeepStrictEqual(error.source, invalid(ATTRIBUTE, '').source);
    if (!isRelationship || !isAboutPool) throw error;
    throw invalidRelationship('default-agent-pool', error.message);
  }
};
