import { useQuery } from '@tanstack/react-query';
import { listProjectsOfTeam } from '../../../../../shared/client/projects.ts';
import { listWorkspacesOfTeam } from '../../../../../shared/client/team-access.ts';
import { showTeam } from '../../../../../shared/client/teams.ts';
import type { WorkloadIdentity } from '../../../../../shared/client/workload-identities.ts';
import { apiQuery } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog, DialogActions, DialogBody } from '../../components/dialog.tsx';
import { Facts } from '../../components/page.tsx';
import { pipelineLines } from '../../lib/pipeline-lines.ts';
import { type PlatformName, platformOf } from '../../lib/pipeline-platforms.ts';
import { tokenVariable } from '../../lib/terraform-examples.ts';
import { formatCount } from '../../lib/words.ts';

/** Names of the files in which platforms describe pipelines. */
const files: Readonly<Record<PlatformName, string>> = {
  github: 'Part of a job in .github/workflows',
  gitlab: 'Job in .gitlab-ci.yml',
  aws: 'Commands, for example of CodeBuild',
  other: 'Commands',
};

interface PipelineDialogProps {
  readonly identity: WorkloadIdentity;
  readonly onClose: () => void;
}

/** Returns whether a team may apply plans somewhere, as far as the first page of its access says. */
const useMayApply = (team: string): boolean => {
  const rights = useQuery(apiQuery(showTeam(team))).data?.document.data.attributes['organization-access'];
  const projects = useQuery(apiQuery(listProjectsOfTeam(team, 1, 100))).data?.document.data ?? [];
  const workspaces = useQuery(apiQuery(listWorkspacesOfTeam(team, 1, 100))).data?.document.data ?? [];
  return (
    rights?.['manage-workspaces'] === true ||
    projects.some(({ attributes }) => attributes['workspace-access'].runs === 'apply') ||
    workspaces.some(({ attributes }) => attributes.runs === 'apply')
  );
};

/** Shows the lines with which a pipeline uses a workload identity. */
export const PipelineDialog = ({ identity: { id, attributes, relationships }, onClose }: PipelineDialogProps) => {
  const mayApply = useMayApply(relationships.team.data.id);
  const { name, issuer, audience, conditions, enabled } = attributes;
  const platform = platformOf(issuer, conditions);
  const lifetime = formatCount(attributes['lifetime-minutes'], 'minute');
  return (
    <Dialog
      title={`Set up the pipeline of “${name}”`}
      description={`The token has to last for plan and apply: terraform reads it once. It ends after ${lifetime}.${enabled ? '' : ' The workload identity is disabled, so that pipelines get no tokens.'}`}
      size="medium"
      onClose={onClose}
    >
      <DialogBody>
        <CodeBlock
          label={files[platform]}
          code={pipelineLines(platform, {
            id,
            audience,
            mayApply,
            origin: window.location.origin,
            variable: tokenVariable(),
          })}
        />
        <Facts
          facts={[
            ['ID', <code key="id">{id}</code>],
            ['Audience', audience],
          ]}
        />
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
};
