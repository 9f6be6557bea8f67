import { showRetentionPolicy } from '../../../../shared/client/retention.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of the policy in force for a workspace. Without one, it fails with 404 (RET-1). */
export const retentionPolicyQuery = (workspace: string) => apiQuery(showRetentionPolicy(workspace));
