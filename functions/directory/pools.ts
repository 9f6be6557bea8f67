import { invalid, invalidRelationship } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import type { Store } from '../../shared/store/store.ts';

/** The default agent pool that a body asks for: an id, null for none, undefined where it says nothing. */
interface Wanted {
  readonly id: string | null | undefined;
  /** Whether it stands among the relationships, rather than the attributes. */
  readonly related: boolean;
}

/**
 * Clients write it as an attribute, or as a relationship.
 * @throws DomainError 422 where they write both, and these differ.
 */
const wantedPool = (
  attribute: string | null | undefined,
  relationship: { readonly data?: { readonly id?: string | null } | null } | null | undefined,
): Wanted => {
  const related = relationship?.data === undefined ? undefined : relationship.data?.id || null;
  const id = attribute === undefined ? related : attribute || null;
  if (related !== undefined && related !== id) {
    throw invalid('default-agent-pool-id', 'Default agent pool id and the relationship default-agent-pool differ');
  }
  return { id, related: attribute === undefined };
};

/**
 * Reads the pool beside whatever else a request reads; whether it may be named is told, and refused, only to who has
 * been let through by then.
 */
export const readDefaultPool = (
  store: Store,
  attribute: Parameters<typeof wantedPool>[0],
  relationship: Parameters<typeof wantedPool>[1],
) => {
  const { id, related } = wantedPool(attribute, relationship);
  const found = startEarly(store.findReferences(id && isId('agentPool', id) ? { agentPool: id } : {}));

  /** @throws DomainError 422 when the organization has no such pool. */
  return async (organization: string): Promise<{ readonly defaultAgentPool?: string | null }> => {
    if (id === undefined) return {};
    const { agentPool } = await found;
    if (id !== null && agentPool?.organization !== organization) {
      const detail = 'Agent pool does not exist in this organization';
      throw related ? invalidRelationship('default-agent-pool', detail) : invalid('default-agent-pool-id', detail);
    }
    return { defaultAgentPool: id };
  };
};
