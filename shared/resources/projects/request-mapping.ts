import type { ExecutionMode, ProjectSettings } from '../../domain/directory/records.ts';
import { mapRequest, type RequestMappings, readSettings } from '../attribute-table.ts';
import { type ProjectAttributes, attributes as table } from './attributes.ts';

/** Attributes of a project in a request. Absent ones keep their values. */
export interface ProjectRequest extends Partial<ProjectSettings> {
  readonly name?: string;
  readonly defaultExecutionMode?: ExecutionMode | null;
  /** Id of the pool; null or empty: none of its own. */
  readonly defaultAgentPool?: string | null;
  /** Null: none of its own. */
  readonly defaultDeletionProtection?: boolean | null;
  /** True: the project has its own value. False: it inherits the value. */
  readonly overwrites?: NonNullable<ProjectAttributes['setting-overwrites']>;
  readonly autoDestroyActivityDuration?: string | null;
}

/** Maps the attributes that have rules. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, ProjectRequest> = {
  name: (name) => ({ name }),
  'default-execution-mode': (defaultExecutionMode) => ({ defaultExecutionMode }),
  'default-agent-pool-id': (defaultAgentPool) => ({ defaultAgentPool }),
  'default-deletion-protection': (defaultDeletionProtection) => ({ defaultDeletionProtection }),
  'setting-overwrites': (overwrites) => (overwrites === null ? {} : { overwrites }),
  'auto-destroy-activity-duration': (autoDestroyActivityDuration) => ({ autoDestroyActivityDuration }),
};

/** Maps the attributes of a request to a change of a project. An omitted attribute is absent from the result. */
export const projectRequest = (attributes: ProjectAttributes): ProjectRequest => ({
  ...readSettings(table, attributes),
  ...mapRequest(mappings, attributes),
});
