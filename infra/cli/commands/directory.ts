import type { Group } from '../command.ts';
import { agentPoolCommands } from './agent-pools.ts';
import { memberCommands } from './members.ts';
import { organizationCommands } from './organizations.ts';
import { projectTagCommands } from './project-tags.ts';
import { projectCommands } from './projects.ts';
import { organizationRetentionCommands } from './retention.ts';
import { sshKeyCommands } from './ssh-keys.ts';
import { tagKeyCommands } from './tag-keys.ts';
import { teamAccessCommands } from './team-access.ts';
import { teamMemberCommands } from './team-members.ts';
import { teamCommands } from './teams.ts';
import { tokenTtlCommands } from './token-ttl.ts';
import { tokenCommands } from './tokens.ts';
import { vcsCommands } from './vcs.ts';
import { workloadIdentityCommands } from './workload-identities.ts';

/** Commands of organizations and what belongs to them. */
export const directoryCommands: readonly Group[] = [
  organizationCommands,
  organizationRetentionCommands,
  tokenTtlCommands,
  projectCommands,
  projectTagCommands,
  teamCommands,
  teamMemberCommands,
  teamAccessCommands,
  memberCommands,
  tokenCommands,
  workloadIdentityCommands,
  agentPoolCommands,
  sshKeyCommands,
  vcsCommands,
  tagKeyCommands,
];
