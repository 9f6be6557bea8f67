import type { Static, TSchema } from 'typebox';
import { retentionBodies } from '../resources/data-retention-policies/request.ts';
import { consumerBodies } from '../resources/remote-state-consumers/request.ts';
import { stateVersionBodies } from '../resources/state-versions/request.ts';
import { tagBodies } from '../resources/tags/request.ts';
import { variableBodies } from '../resources/variables/request.ts';
import { workspaceBodies } from '../resources/workspaces/request.ts';
import { sshKeyBodies } from '../resources/workspaces/ssh-key-request.ts';
import { directoryBodies } from './directory-bodies.ts';

/**
 * The request bodies (HTTP-6), as JSON Schema, by endpoint group. They are compiled ahead into `compiled/`, by
 * `generate.ts`. Unknown attributes are ignored, as clients send more than is asked of them (HTTP-7). Defaults
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

export type Bodies = { readonly [S in keyof typeof bodies]: Static<(typeof bodies)[S]> };
