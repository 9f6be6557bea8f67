import type { Static, TSchema } from 'typebox';
import { consumerBodies } from './bodies/consumers.ts';
import { directoryBodies } from './bodies/directory.ts';
import { retentionBodies } from './bodies/retention.ts';
import { sshKeyBodies } from './bodies/ssh-key.ts';
import { stateVersionBodies } from './bodies/state-versions.ts';
import { tagBodies } from './bodies/tags.ts';
import { type VariableAttributes, variableBodies } from './bodies/variables.ts';
import { type WorkspaceAttributes, workspaceBodies } from './bodies/workspaces.ts';

/**
 * The request bodies (spec 2.1, 4), as JSON Schema, by endpoint group. They are compiled ahead into `compiled/`, by
 * `generate.ts`. Unknown attributes are ignored, as clients send more than is asked of them (contract 1.3). Defaults
 * are the domain's.
 */
export const bodies = {
  ...workspaceBodies,
  ...directoryBodies,
  ...consumerBodies,
  ...sshKeyBodies,
  ...retentionBodies,
  ...tagBodies,
  ...variableBodies,
  ...stateVersionBodies,
} as const satisfies Record<string, TSchema>;

export type { VariableAttributes, WorkspaceAttributes };
export type Bodies = { readonly [S in keyof typeof bodies]: Static<(typeof bodies)[S]> };
