import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { all, equals, exists } from '../../../domain/changes/conditions.ts';
import type { WorkloadIdentity } from '../../../domain/directory/records.ts';
import { changeIdentity, type IdentityChange } from '../../../domain/directory/transitions/workload-identities.ts';
import { termsOf } from '../../../domain/workload-identities/terms.ts';
import { conditionHolds } from '../../dynamodb/errors.ts';
import { keys } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { update } from '../../items/item-write.ts';
import { recordOf } from '../../items/record-items.ts';
import type { Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import { SETTLING } from '../records/settling.ts';
import type { openTokens } from '../tokens/tokens.ts';

type Tokens = Pick<ReturnType<typeof openTokens>, 'revokeSome'>;

/** Opens the changes of workload identities that concern their tokens. */
export const openWorkloadIdentities = ({ database }: Table, records: RecordStore, tokens: Tokens) => {
  /**
   * Revokes the tokens that a workload identity gave on other terms than its present ones, and takes it off the queue of the cleanup.
   * It can be repeated.
   */
  const endOldTokens = async (request: RequestContext, id: string): Promise<void> => {
    const key = keys.record('workloadIdentity', id);
    const item = await database.get(key, true);
    // The tokens of a deleted workload identity are removed with it.
    if (!isOpen(item) || item['untold'] === undefined) return;
    const terms = termsOf(recordOf('workloadIdentity', item));
    await tokens.revokeSome(request, { kind: 'workloadIdentity', id }, (token) => token.terms !== terms);
    const asSeen = all(exists('untold'), equals('dk', String(item['dk'])));
    await conditionHolds(database.write(update(key, { remove: ['untold', 'd', 'dk'] }, asSeen)));
  };

  return {
    endOldTokens,

    /**
     * Changes a workload identity. If it gives tokens on other terms then, those that it gave before are revoked (WI-12).
     * @throws DomainError 404; 412; 422 when the new name is taken.
     */
    update: async (
      request: RequestContext,
      { id, organization }: Pick<WorkloadIdentity, 'id' | 'organization'>,
      plan: (present: WorkloadIdentity) => Promise<IdentityChange>,
    ): Promise<WorkloadIdentity> => {
      const changed = await records.updateSettings(
        request,
        'workloadIdentity',
        organization,
        id,
        async (present, { at }) => changeIdentity(present, await plan(present), at + SETTLING),
      );
      await endOldTokens(request, id);
      return changed;
    },
  };
};
